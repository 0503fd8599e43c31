export type { AmendReceipt } from "../human/mail.ts";
export { type App, type AppOptions, createApp, onlyRun } from "./app.ts";
export { type ServeRunOptions, serveRun } from "./live-run.ts";
export type {
  AskView,
  EventQuery,
  MailReceipt,
  OracleReply,
  RunControl,
  RunDirectory,
  RunState,
  ServedRun,
} from "./run-control.ts";
