import { basename, dirname } from "node:path";
import { after, all, type Change, hasOption, nth, operands } from "./change-options.ts";
import type { ShellWord } from "./shell-word.ts";

type Reader = (words: readonly ShellWord[]) => readonly Change[];

/** What the usual commands change, by their names. */
const READERS: Readonly<Record<string, Reader>> = {
  ...each("rm rmdir unlink shred srm", (words) => all(words, "destroy")),
  ...each("touch mkdir truncate mkfifo mknod chmod chown chgrp chattr setfacl", (words) => all(words, "write")),
  mv: (words) => moved(words, "destroy"),
  ln: linked,
  cp: (words) => moved(words, hasOption(words, /^(?:-[a-zA-Z]*[ls]|--link|--symbolic-link)$/) ? "write" : undefined),
  rsync: (words) => (hasOption(words, /^--del/) ? [...moved(words, undefined), ...destroyed(words)] : moved(words, undefined)),
  ...each("install scp", (words) => moved(words, undefined)),
  tee: (words) => all(words, words.some((word) => word.value === "-a" || word.value === "--append") ? "append" : "write"),
  dd: (words) => assigned(words, /^of=/),
  ...each("sed gsed perl", inPlace),
  find: (words) => [...foundAndDeleted(words), ...after(words, "-fprint -fprint0 -fprintf -fls")],
  curl: (words) => after(words, "-o --output --output-dir --dump-header --cookie-jar"),
  wget: (words) => after(words, "-O -P -o --output-document --output-file --directory-prefix"),
  tar: (words) => [...after(words, "-C --directory"), ...archive(words)],
  unzip: (words) => after(words, "-d"),
  zip: (words) => nth(words, 0),
  mktemp: (words) => [...after(words, "-p --tmpdir"), ...all(words, "write")],
  split: (words) => nth(words, 1),
  ...each("uniq xxd", (words) => nth(words, 1)),
  script: (words) => all(words, "write"),
  csplit: (words) => after(words, "-f --prefix"),
  patch: (words) => after(words, "-o -d --output --directory"),
  openssl: (words) => after(words, "-out"),
  tsc: (words) => after(words, "--outDir --outFile --declarationDir -p --project"),
  esbuild: (words) => after(words, "--outfile --outdir"),
  ...each("gcc g++ cc c++ clang clang++ ld rustc sort gpg pandoc dot strace ltrace time", (words) => after(words, "-o --output")),
  ...each("pip pip3", (words) => after(words, "-t --target --prefix --root")),
  go: (words) => after(words, "-o -C"),
  cmake: (words) => after(words, "-B --build --install --prefix"),
};

/** Programs that build in the folder they stand in, with the options that name another. */
const BUILDERS: Readonly<Record<string, string>> = {
  ...namesOf("make gmake", "-C --directory"),
  ...namesOf("npm", "--prefix -C"),
  ...namesOf("pnpm", "-C --dir --prefix"),
  ...namesOf("yarn bun", "--cwd"),
  ...namesOf("cargo", "-C --manifest-path --target-dir"),
  ...namesOf("uv", "--directory --project"),
  ...namesOf("poetry", "-C --directory"),
  ...namesOf("ninja", "-C"),
  ...namesOf("gradle gradlew", "-p --project-dir"),
  ...namesOf("mvn mvnw", "-f --file"),
  ...namesOf("just", "-d --working-directory"),
};

const HERE: Change = { target: { text: ".", value: ".", isGlob: false }, kind: "write" };

/** What a command of this name plainly changes with these words behind it. */
export function readChanges(name: string, words: readonly ShellWord[]): readonly Change[] {
  if (Object.hasOwn(BUILDERS, name)) return [HERE, ...after(words, BUILDERS[name] ?? "")];
  return Object.hasOwn(READERS, name) ? (READERS[name]?.(words) ?? []) : [];
}

function each(names: string, reader: Reader): Record<string, Reader> {
  return Object.fromEntries(names.split(" ").map((name) => [name, reader]));
}

function namesOf(names: string, options: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, options]));
}

/** The last operand (or the folder of `-t`) is written; the others get `sources`. */
function moved(words: readonly ShellWord[], sources: Change["kind"] | undefined): readonly Change[] {
  const { targets, from } = split(words);
  return [
    ...targets,
    ...landings(targets, from),
    ...(sources === undefined ? [] : from.map((target): Change => ({ target, kind: sources }))),
  ];
}

function split(words: readonly ShellWord[]): { readonly targets: readonly Change[]; readonly from: readonly ShellWord[] } {
  const folder = after(words, "-t --target-directory");
  const named = operands(words);
  const targets = folder.length > 0 ? folder : named.slice(-1).map((target): Change => ({ target, kind: "write" }));
  return { targets, from: named.filter((word) => !targets.some((change) => change.target === word)) };
}

/** Where things land when the target is a folder. */
function landings(targets: readonly Change[], from: readonly ShellWord[]): readonly Change[] {
  return targets.flatMap(({ target }) =>
    from.flatMap((word): Change[] => {
      if (target.value === undefined || word.value === undefined || word.isGlob) return [];
      return [{ target: { ...target, value: `${target.value}/${basename(word.value)}` }, kind: "write" }];
    }),
  );
}

/** What is linked to counts as written: through a link of the same command line it may be. A symbolic link is seen from its folder. */
function linked(words: readonly ShellWord[]): readonly Change[] {
  const { targets, from } = split(words);
  const [link] = targets;
  if (link === undefined || !hasOption(words, /^(?:-[a-zA-Z]*s|--symbolic$)/)) return moved(words, "write");
  const isFolder = hasOption(words, /^(?:-[a-zA-Z]*t|--target-directory)/) || link.target.value?.endsWith("/");
  const folder = link.target.value === undefined ? undefined : isFolder ? link.target.value : dirname(link.target.value);
  const behind = from.map((word): Change => ({ target: { ...word, value: seenFrom(folder, word.value) }, kind: "write" }));
  return [link, ...landings(targets, from), ...behind];
}

function seenFrom(folder: string | undefined, path: string | undefined): string | undefined {
  if (path === undefined || /^[/~]/.test(path)) return path;
  return folder === undefined ? undefined : `${folder}/${path}`;
}

function destroyed(words: readonly ShellWord[]): readonly Change[] {
  return operands(words)
    .slice(-1)
    .map((target) => ({ target, kind: "destroy" }));
}

/** The archive that is made; the letters may come without a dash. */
function archive(words: readonly ShellWord[]): readonly Change[] {
  const isMade =
    hasOption(words, /^(?:-[a-zA-Z]*[cru][a-zA-Z]*|--(?:create|append|update))$/) ||
    /^[a-zA-Z]*[cru][a-zA-Z]*$/.test(words[0]?.value ?? "");
  if (!isMade) return [];
  const bare = /^[a-zA-Z]*f[a-zA-Z]*$/.test(words[0]?.value ?? "") ? words.slice(1, 2) : [];
  return [...after(words, "-f --file"), ...bare.map((target): Change => ({ target, kind: "write" }))];
}

function assigned(words: readonly ShellWord[], start: RegExp): readonly Change[] {
  return words
    .filter((word) => start.test(word.value ?? word.text))
    .map((word) => ({ target: { ...word, value: word.value?.replace(start, "") }, kind: "write" }));
}

const TAKES_SCRIPT = /^(?:-[a-zA-Z]*[ef]|--expression|--file)$/;

function inPlace(words: readonly ShellWord[]): readonly Change[] {
  if (!words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word.value ?? ""))) return [];
  const isGiven = words.some((word) => TAKES_SCRIPT.test(word.value ?? ""));
  const rest = words.filter((_, i) => !TAKES_SCRIPT.test(words[i - 1]?.value ?? ""));
  return all(isGiven ? rest : withoutFirstOperand(rest), "write");
}

function withoutFirstOperand(words: readonly ShellWord[]): readonly ShellWord[] {
  const first = operands(words)[0];
  return words.filter((word) => word !== first);
}

/** `find FOLDERS … -delete` or `-exec rm`. */
function foundAndDeleted(words: readonly ShellWord[]): readonly Change[] {
  if (!words.some((word) => /^(?:-delete|rm|mv|shred|unlink)$/.test(word.value ?? ""))) return [];
  const expression = words.findIndex((word) => /^[-(!]/.test(word.value ?? ""));
  return words.slice(0, expression === -1 ? words.length : expression).map((target) => ({ target, kind: "destroy" }));
}
