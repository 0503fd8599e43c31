/** Prints how often wrong work passes and right work is sent back: `npm run bench -- --case judge`. */
import { isDone } from "./case.ts";
import { ratesOf, ratesTable } from "./rates.ts";
import { CASES, judgeAll } from "./run.ts";

const judged = await judgeAll(CASES);
const rates = ratesOf(judged);
const undone = CASES.filter((given) => !isDone(given)).length;
console.log(`${CASES.length} pieces of work: ${undone} not done, ${CASES.length - undone} done.\n\n${ratesTable(rates)}`);
for (const { what, falsePasses } of rates) for (const name of falsePasses) console.log(`\nfalse pass, ${what}: ${name}`);
