/** What the demo's worker writes: a small converter that really works, but for one thing that it leaves out at first. */
export const SAMPLE = `# Shopping

Things to buy & a <note>:

- apples
- bread

\`\`\`
total = 2 < 3
\`\`\`
`;

/** HTML in the text is escaped, or passed through. */
export function converterWithoutLists(html: "escape" | "pass"): string {
  return `import { readFileSync, writeFileSync } from "node:fs";

const source = process.argv[2];
if (!source) {
  console.error("usage: node conv.js file.md");
  process.exit(2);
}

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const inline = ${html === "escape" ? "escape" : "(text) => text"};

function toBlock(block) {
  const heading = /^(#{1,6}) (.*)$/.exec(block);
  if (heading) return \`<h\${heading[1].length}>\${inline(heading[2])}</h\${heading[1].length}>\`;
  const code = /^\\\`\\\`\\\`[^\\n]*\\n([\\s\\S]*?)\\n?\\\`\\\`\\\`$/.exec(block);
  if (code) return \`<pre><code>\${escape(code[1])}</code></pre>\`;
  return \`<p>\${inline(block)}</p>\`;
}

const blocks = readFileSync(source, "utf8").trim().split(/\\n{2,}/);
writeFileSync(source.replace(/\\.md$/, "") + ".html", blocks.map(toBlock).join("\\n") + "\\n");
`;
}

export const LIST_SUPPORT = {
  before: "  return `<p>${inline(block)}</p>`;",
  after: `  if (/^- /.test(block)) {
    const items = block.split("\\n").map((line) => \`  <li>\${inline(line.replace(/^- /, ""))}</li>\`);
    return \`<ul>\\n\${items.join("\\n")}\\n</ul>\`;
  }
  return \`<p>\${inline(block)}</p>\`;`,
} as const;
