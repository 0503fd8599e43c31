// Plays the script on session "s" of the database argv[2] and is killed at the fault point numbered argv[3].
import { SqliteSessionStore } from "../../../src/sessions/sqlite.ts";
import { play, SCRIPT } from "../script.ts";

const [path, last] = process.argv.slice(2) as [string, string];
let reached = 0;
const store = new SqliteSessionStore(path, {
  fault: () => {
    if (reached++ === Number(last)) process.kill(process.pid, "SIGKILL");
  },
});
const lease = await store.open("s");
for (const step of SCRIPT) await play(lease, step);
await lease.release();
