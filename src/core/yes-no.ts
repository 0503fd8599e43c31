const YES = new Set(
  "yes y ok okay true accept allow sim s permito permitir permite pode aceito 是 是的 好 好的 可以 允许 同意 行".split(" "),
);
const NO = new Set("no n false decline deny não nao negar recuso 否 不 不行 不可以 不允许 不同意".split(" "));

/** What a plain yes or no means, in English, Chinese and Portuguese; undefined for all other words, also for those that go on. */
export function readYesNo(answer: string): boolean | undefined {
  const said = answer
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^[\s"'“”]+|[\s"'“”.!。]+$/g, "");
  return YES.has(said) ? true : NO.has(said) ? false : undefined;
}
