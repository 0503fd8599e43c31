// Holds session "s" of the database argv[2] with a lease of argv[3] ms; once a line arrives it writes, and says what came of it.
import { once } from "node:events";
import { toFlowerError } from "../../../src/core/errors.ts";
import { SqliteSessionStore } from "../../../src/sessions/sqlite.ts";
import { journal, user } from "../../../src/testing/session-store-fixture.ts";

const [path, leaseMs] = process.argv.slice(2) as [string, string];
const store = new SqliteSessionStore(path, { leaseMs: Number(leaseMs) });
const lease = await store.open("s");
await lease.begin("sleeper's");
await journal(lease, user("before"));
process.stdout.write("holding\n");
await once(process.stdin, "data");
const outcome = await journal(lease, user("after")).then(
  () => "written",
  (error: unknown) => toFlowerError(error).code,
);
process.stdout.write(`${outcome} ${lease.lost?.aborted}\n`);
process.exit(0);
