// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are shell scripts
import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readShellScript } from "../../src/guards/shell-script.ts";

async function valuesOf(words: string): Promise<readonly (string | undefined)[]> {
  const script = await readShellScript(`cmd ${words}`);
  return (script?.commands[0]?.words ?? []).slice(1).map((word) => word.value);
}

function bashSees(words: string): readonly string[] {
  return execFileSync("bash", ["-c", `printf '%s\\0' ${words}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
}

test.each([
  `a\\ b 'c d' "e f" g'h'"i"j`,
  `"a\\"b\\\\c\\$d\\e" 'a\\b' a\\\\b`,
  `$'a\\tb\\x41\\u00e9\\101\\'' $"hi"`,
  `"" '' a'' ''b`,
  "a\\\nb \"c\\\nd\" 'e\\\nf'",
  "~/x ~ a~ '~/x' \"~\" \\~",
  "--format='%h {a,b}' x=y HEAD@{1} {} a}b",
  "a#b '#c' \\#d",
  '$HOME/x "$HOME/y" ${HOME}',
  "1 2.5 -x --y=z +w @ % ^ , . /",
  `"multi
line" 花🌸`,
])("known words are what bash makes of them: %s", async (words) => {
  expect(await valuesOf(words)).toEqual(bashSees(words));
});

test.each([
  "$X",
  '"$X"',
  "a$X",
  "${X}",
  "$(x)",
  "`x`",
  '"a $(x) b"',
  "{a,b}",
  "x{1..3}",
  "<(x)",
  "$((1))",
  "~root",
  '"${HOME}$X"',
  "$1",
  "\\ x",
])("%s is not known before it runs", async (word) => {
  // Braces in place of a whole argument list may also be refused as unreadable by the parser.
  const values = await valuesOf(`first ${word}`);
  expect(values.slice(1)).toEqual([undefined]);
});

test.each([
  ["*.ts", true],
  ["a?b", true],
  ["[ab]", true],
  ["'*'", false],
  ['"*"', false],
  ["\\*", false],
  ["a'*'b", false],
  ["'*'*", true],
])("%s is a pattern for file names: %s", async (word, expected) => {
  expect((await readShellScript(`cmd ${word}`))?.commands[0]?.words[1]?.isGlob).toBe(expected);
});

test("$HOME is the home folder and ~ too", async () => {
  expect(await valuesOf('~/a "$HOME"/b')).toEqual([`${homedir()}/a`, `${homedir()}/b`]);
});

const quoted = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9_./:=@%+,-]+$/),
  fc.string({ maxLength: 6 }).map((text) => `'${text.replace(/['\0\r]/g, "")}'`),
  fc.stringMatching(/^[a-zA-Z0-9 '#&|;<>(){}*?~-]*$/).map((text) => `"${text}"`),
  fc.constantFrom(...[..." '\"\\$`&|;<>(){}*?[]#~!ab"].map((character) => `\\${character}`)),
);

test("whatever the quoting, a word is what bash makes of it", async () => {
  const words = fc.sample(
    fc.array(quoted, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
    { numRuns: 400, seed: 15 },
  );
  const seen = bashSees(words.join(" "));
  let known = 0;
  for (const [i, word] of words.entries()) {
    const [, value] = await valuesOf(`first ${word}`);
    // What the parser cannot read, or what is not known, is asked about: only a wrong value does harm.
    if (value === undefined) continue;
    known++;
    expect(value, word).toBe(seen[i]);
  }
  expect(known).toBeGreaterThan(250);
});
