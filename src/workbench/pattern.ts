/** A pattern given as `/source/flags` or as a bare source; undefined when it is no regular expression. */
export function toPattern(text: string): RegExp | undefined {
  const literal = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text);
  return (literal && compile(literal[1] ?? "", literal[2])) ?? compile(text);
}

/** The `/source/flags` that begins at `start`, or undefined when there is none. */
export function readPatternLiteral(text: string, start: number): string | undefined {
  if (text[start] !== "/") return undefined;
  let inClass = false;
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return text.slice(start, at + 1) + (/^[a-z]*/.exec(text.slice(at + 1))?.[0] ?? "");
  }
  return undefined;
}

function compile(source: string, flags?: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
