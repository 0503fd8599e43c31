/** Recorded lines without what differs by machine and moment: folders, ports, ids, times; long lists are cut. */
export function scrub(lines: string, folders: { readonly workspace: string; readonly home: string }): string {
  const { workspace, home } = folders;
  const plain = lines
    .replaceAll(workspace, "/workspace")
    .replaceAll(workspace.replaceAll(/[^A-Za-z0-9]/g, "-"), "-workspace")
    .replaceAll(home, "/home/person")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:1")
    .replaceAll(/\/tmp\/claude-\d+\//g, "/tmp/claude/")
    .replaceAll(/\/tmp\/cc-socks\/\d+/g, "/tmp/cc-socks/1")
    .replaceAll(/"(toolu|msg)_[0-9A-Za-z]{6}_/g, '"$1_model_')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-01-01T00:00:00.000Z");
  const ids = new Map<string, string>();
  const stable = plain.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, (id) => {
    if (!ids.has(id)) ids.set(id, `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`);
    return ids.get(id) as string;
  });
  const records = stable.split("\n").filter((line) => line !== "");
  return records.map((line) => `${JSON.stringify(JSON.parse(line), shorten)}\n`).join("");
}

function shorten(key: string, value: unknown): unknown {
  if (/(?:^|_)(?:ms|time)$/.test(key) && typeof value === "number") return 0;
  if (["slash_commands", "terminal_slash_commands", "skills", "plugins", "agents", "capabilities"].includes(key) && Array.isArray(value)) {
    return value.slice(0, 2);
  }
  return value;
}
