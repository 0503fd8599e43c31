/**
 * What a glance may be made of: commands that only look, with the options that keep it so. Whatever is not listed is refused, so
 * an option that writes (`sort -o`), runs something (`find -exec`, `rg --pre`), waits (`tail -f`) or follows links out of the
 * workspace (`grep -R`) has to be nowhere in here.
 */
export interface GlanceCommand {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options with a value that is no path. */
  readonly valued?: string;
  /** Long options without a value; with `=` at the end, such with one. */
  readonly long?: readonly string[];
  /** Single-dash words, as `find` has them; with `=` at the end, the next word is their value. */
  readonly words?: readonly string[];
  /** What the other words are. Default "paths". */
  readonly operands?: Operands;
  /** `-5` for a number of lines. */
  readonly digits?: boolean;
}

/**
 * `paths`: all of them; `files`: paths, and none is a folder; `pattern`: the first is a pattern, the rest are paths (`-e` makes all
 * of them paths); `text`: none is a path; `format`: `+` and a format; `none`: there are none; `one`: at most one path, since a
 * second would be written.
 */
export type Operands = "paths" | "files" | "pattern" | "text" | "format" | "none" | "one";

const GREP: GlanceCommand = {
  flags: "EFGPiIvnclLhHoqswxrzabZTUy",
  valued: "eABCm",
  long: [
    ...["--extended-regexp", "--fixed-strings", "--perl-regexp", "--ignore-case", "--invert-match", "--line-number", "--count"],
    ...["--files-with-matches", "--files-without-match", "--no-filename", "--with-filename", "--only-matching", "--quiet", "--word-regexp"],
    ...["--line-regexp", "--recursive", "--no-messages", "--color=", "--colour=", "--include=", "--exclude=", "--exclude-dir="],
    ...["--max-count=", "--context=", "--after-context=", "--before-context=", "--regexp=", "--text"],
  ],
  operands: "pattern",
  digits: true,
};
const SUMS: GlanceCommand = { flags: "bt", long: ["--binary", "--text", "--tag"] };
const LINES: GlanceCommand = {
  flags: "qvz",
  valued: "nc",
  long: ["--lines=", "--bytes=", "--quiet", "--silent", "--verbose"],
  digits: true,
};

export const GLANCE_COMMANDS: Readonly<Record<string, GlanceCommand>> = {
  ls: {
    flags: "aAlhtrS1dFpisRgoGnkmxXUcuCBNqQZ",
    long: [
      "--all",
      "--almost-all",
      "--human-readable",
      "--recursive",
      "--reverse",
      "--directory",
      "--classify",
      "--size",
      "--inode",
      "--color=",
      "--sort=",
      "--time-style=",
      "--full-time",
      "--group-directories-first",
    ],
  },
  cat: { flags: "AbeEnstTuv", long: ["--number", "--number-nonblank", "--show-all", "--show-ends", "--show-tabs", "--squeeze-blank"] },
  tac: {},
  nl: { valued: "bdfhilnsvw" },
  head: LINES,
  tail: LINES,
  wc: { flags: "clmwL", long: ["--lines", "--words", "--bytes", "--chars", "--max-line-length"] },
  pwd: { flags: "LP", operands: "none" },
  echo: { flags: "neE", operands: "text" },
  printf: { operands: "text" },
  true: { operands: "none" },
  false: { operands: "none" },
  basename: { flags: "az", valued: "s", operands: "text" },
  dirname: { flags: "z", operands: "text" },
  realpath: { flags: "emsz" },
  file: { flags: "bLhiksN", long: ["--brief", "--mime", "--mime-type", "--mime-encoding"] },
  stat: { flags: "Lt", valued: "c", long: ["--format=", "--printf=", "--terse"] },
  du: {
    flags: "abchksmxS0",
    valued: "d",
    long: ["--max-depth=", "--human-readable", "--summarize", "--all", "--total", "--apparent-size", "--exclude="],
  },
  tree: { flags: "adfhpsugDFrtnCQi", valued: "LIP", long: ["--dirsfirst", "--noreport", "--du"] },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    flags: "iSswxFvnNclHIoUpua0",
    valued: "etTgABCmMjE",
    long: [
      ...["--ignore-case", "--smart-case", "--case-sensitive", "--word-regexp", "--fixed-strings", "--invert-match", "--line-number"],
      ...["--no-line-number", "--count", "--count-matches", "--files-with-matches", "--files-without-match", "--files", "--hidden"],
      ...["--no-ignore", "--no-heading", "--heading", "--only-matching", "--multiline", "--json", "--stats", "--vimgrep", "--no-filename"],
      ...["--with-filename", "--column", "--trim", "--glob=", "--iglob=", "--type=", "--type-not=", "--max-count=", "--max-depth="],
      ...["--context=", "--after-context=", "--before-context=", "--color=", "--sort=", "--regexp=", "--max-columns="],
    ],
    operands: "pattern",
    digits: false,
  },
  find: {
    words: [
      ...["-name=", "-iname=", "-path=", "-ipath=", "-wholename=", "-regex=", "-iregex=", "-type=", "-maxdepth=", "-mindepth=", "-size="],
      ...["-mtime=", "-mmin=", "-atime=", "-amin=", "-ctime=", "-cmin=", "-perm=", "-user=", "-group=", "-links=", "-printf="],
      ...[
        "-empty",
        "-print",
        "-print0",
        "-prune",
        "-not",
        "-o",
        "-or",
        "-a",
        "-and",
        "-true",
        "-false",
        "-depth",
        "-xdev",
        "-mount",
        "-ls",
      ],
      ...["-readable", "-writable", "-executable", "-P", "!", "(", ")"],
    ],
  },
  diff: {
    flags: "qsuwbBiaEZtTyp",
    valued: "UCW",
    long: [
      "--brief",
      "--unified",
      "--unified=",
      "--side-by-side",
      "--ignore-all-space",
      "--ignore-space-change",
      "--ignore-blank-lines",
      "--color=",
      "--width=",
      "--suppress-common-lines",
      "--strip-trailing-cr",
    ],
    operands: "files", // of a folder it would read what the links in it lead to
  },
  cmp: { flags: "bls", valued: "n" },
  comm: { flags: "123" },
  sort: {
    flags: "bdfghiMnrRVuszcC",
    valued: "kt",
    long: [
      "--reverse",
      "--unique",
      "--numeric-sort",
      "--human-numeric-sort",
      "--version-sort",
      "--ignore-case",
      "--key=",
      "--field-separator=",
      "--stable",
      "--check",
    ],
  },
  uniq: { flags: "cdDiuz", valued: "fsw", long: ["--count", "--repeated", "--unique", "--ignore-case"], operands: "one" },
  cut: {
    flags: "sz",
    valued: "bcdf",
    long: ["--bytes=", "--characters=", "--delimiter=", "--fields=", "--complement", "--only-delimited", "--output-delimiter="],
  },
  tr: { flags: "cCdst", operands: "text" },
  column: { flags: "tx", valued: "scoN" },
  fold: { flags: "bs", valued: "w" },
  expand: { flags: "i", valued: "t" },
  rev: {},
  od: { flags: "abcdfhiloxv", valued: "AjNtw" },
  hexdump: { flags: "bcCdovx", valued: "ns" },
  strings: { flags: "a", valued: "nt" },
  md5sum: SUMS,
  sha1sum: SUMS,
  sha256sum: SUMS,
  sha512sum: SUMS,
  cksum: {},
  date: { flags: "uR", valued: "I", long: ["--utc", "--iso-8601", "--iso-8601=", "--rfc-3339="], operands: "format" },
  uname: { flags: "asnrvmpio", operands: "none" },
  nproc: { long: ["--all"], operands: "none" },
};
