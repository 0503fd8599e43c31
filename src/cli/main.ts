#!/usr/bin/env node
import { buildProgram } from "./program.ts";
import { reportFailure } from "./report-failure.ts";

try {
  await buildProgram().parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error, process.argv, process.env);
}
