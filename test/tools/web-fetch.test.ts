import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { resultText } from "../../src/messages/message.ts";
import { isPrivateAddress } from "../../src/tools/builtin/address.ts";
import { webFetchTool } from "../../src/tools/builtin/web-fetch.ts";
import { runCall } from "../../src/tools/call.ts";
import type { ToolContext } from "../../src/tools/tool.ts";
import { toolContext } from "./tool-bench.ts";

async function site(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function fetchPage(url: string, options: { readonly allow?: readonly string[]; readonly context?: Partial<ToolContext> } = {}) {
  const tool = webFetchTool({ allowHosts: options.allow ?? ["127.0.0.1"] });
  const outcome = await runCall({ type: "call", callId: "c", name: "WebFetch", args: { url } }, tool, toolContext(options.context));
  return `${outcome.isError ? "ERROR: " : ""}${resultText(outcome.content)}`;
}

describe("WebFetch", () => {
  it("gives HTML as Markdown, without scripts and styles", async () => {
    const url = await site((_, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(
        "<html><head><title>t</title><style>p{}</style></head><body><h1>Título</h1><script>evil()</script><p>A <b>page</b>.</p></body></html>",
      );
    });
    expect(await fetchPage(url)).toBe("# Título\n\nA **page**.");
  });

  it("gives JSON and text as they are, packed or not, in their charset", async () => {
    const url = await site((request, response) => {
      if (request.url === "/latin") {
        response.setHeader("content-type", "text/plain; charset=iso-8859-1");
        return response.end(Buffer.from([0xe9]));
      }
      response.setHeader("content-type", "application/json");
      response.setHeader("content-encoding", "gzip");
      return response.end(gzipSync('{"a":1}'));
    });
    expect(await fetchPage(`${url}/json`)).toBe('{"a":1}');
    expect(await fetchPage(`${url}/latin`)).toBe("é");
  });

  it("sends no cookie, key or referrer, and only ever asks with GET", async () => {
    const seen: unknown[] = [];
    const url = await site((request, response) => {
      seen.push(request.method, Object.keys(request.headers).sort());
      response.end("x");
    });
    await fetchPage(url);
    expect(seen).toEqual(["GET", ["accept", "accept-encoding", "connection", "host", "user-agent"]]);
  });

  it("says what an error page says, as an error", async () => {
    const url = await site((_, response) => response.writeHead(404, "Not Found").end("no such page"));
    expect(await fetchPage(url)).toBe("ERROR: HTTP 404 Not Found\n\nno such page");
  });

  it("follows a redirect on the same host, and names one to another host", async () => {
    const url = await site((request, response) => {
      if (request.url === "/a") return response.writeHead(302, { location: "/b" }).end();
      if (request.url === "/away") return response.writeHead(302, { location: "https://elsewhere.example/x" }).end();
      return response.end("arrived");
    });
    expect(await fetchPage(`${url}/a`)).toBe("arrived");
    expect(await fetchPage(`${url}/away`)).toContain("redirects to another host: https://elsewhere.example/x");
  });

  it("gives up on a redirect that never ends", async () => {
    const url = await site((_, response) => response.writeHead(302, { location: "/again" }).end());
    expect(await fetchPage(url)).toContain("ERROR: ");
  });

  it("refuses what is no text", async () => {
    const url = await site((_, response) => response.writeHead(200, { "content-type": "image/png" }).end("x"));
    expect(await fetchPage(url)).toContain("is image/png, which is no text");
  });

  it("stops reading a page without an end", async () => {
    const url = await site((_, response) => {
      response.setHeader("content-type", "text/plain");
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(64_000)));
      };
      response.on("drain", more);
      more();
    });
    expect(await fetchPage(url)).toContain("larger than 5000000 bytes");
  });

  it("an abort ends it at once", async () => {
    const abort = new AbortController();
    const url = await site(() => abort.abort(new Error("enough")));
    await expect(fetchPage(url, { context: { signal: abort.signal } })).rejects.toThrow("enough");
  });

  it.each([
    "http://127.0.0.1:9/",
    "http://localhost:9/",
    "http://[::1]:9/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:127.0.0.1]/",
  ])("refuses the private address %s", async (url) => {
    expect(await fetchPage(url, { allow: [] })).toMatch(/^ERROR: .*private address/);
  });

  it("a name that leads to a private address is refused too", async () => {
    const url = await site((_, response) => response.end("secret"));
    expect(await fetchPage(url.replace("127.0.0.1", "localhost"), { allow: ["127.0.0.1"] })).toContain("private address");
  });

  it.each(["file:///etc/passwd", "ftp://x/y", "nonsense", "https://user:pw@example.com/"])("refuses %s", async (url) => {
    expect(await fetchPage(url)).toMatch(/^ERROR: .*could not be fetched/);
  });
});

describe("addresses", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.1.1",
    "0.0.0.0",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fd00::1",
    "::ffff:10.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1",
    "not an address",
  ])("%s is private", (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"])("%s is public", (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});
