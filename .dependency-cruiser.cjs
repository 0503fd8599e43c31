// The layers of docs/design.md: a folder imports itself and what stands to its left; siblings never import each other.
const layers = [
  ["core"],
  ["messages"],
  ["engines", "tools", "sessions", "i18n"],
  ["human", "workbench"],
  ["agents"],
  ["runner"],
  ["backends", "guards"],
  ["runtime"],
  ["workflow"],
  ["server"],
  ["cli"],
];

const forbidden = [
  { name: "no-cycles", severity: "error", from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } } },
  { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
  {
    name: "no-dev-dependency",
    severity: "error",
    from: { path: "^src" },
    to: { dependencyTypes: ["npm-dev"], pathNot: "node_modules/(@types|@ai-sdk/provider)" },
  },
];

layers.forEach((names, level) => {
  for (const name of names) {
    const right = layers
      .slice(level)
      .flat()
      .filter((other) => other !== name);
    forbidden.push({
      name: `layer-${name}`,
      severity: "error",
      from: { path: `^src/${name}/` },
      to: { path: `^src/(${[...right, "testing"].join("|")})/` },
    });
  }
});
forbidden.push({ name: "layer-testing", severity: "error", from: { path: "^src/testing/" }, to: { path: "^src/(server|cli)/" } });

module.exports = {
  forbidden,
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["flower-source", "import", "node", "default"],
      extensions: [".ts", ".js"],
    },
  },
};
