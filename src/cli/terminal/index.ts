export { Render, type RenderOptions } from "./render.ts";
