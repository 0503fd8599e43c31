// Takes argv[4] turns of session "s" in the database argv[2], under the name argv[3], once a line arrives.
import { once } from "node:events";
import { SqliteSessionStore } from "../../../src/sessions/sqlite.ts";
import { turn } from "../../../src/testing/session-store-fixture.ts";

const [path, name, turns] = process.argv.slice(2) as [string, string, string];
const store = new SqliteSessionStore(path);
process.stdout.write("ready\n");
await once(process.stdin, "data");
for (let i = 0; i < Number(turns); i++) await turn(store, "s", `${name} ${i}`);
await store.close();
process.exit(0);
