/** Pages over https on loopback, by a certificate that is made for one test and that a process is told to trust. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface HttpsPages {
  /** `https://localhost:<port>` */
  url: string;
  /** what stands at a path; no other path is known */
  pages: Map<string, object>;
  /** paths, as they were asked for */
  asked: string[];
  /** what a process needs to trust the certificate */
  env: { NODE_EXTRA_CA_CERTS: string };
  stop(): Promise<void>;
}

export interface Certificate {
  key: Buffer;
  cert: Buffer;
  /** what a process needs to trust it */
  env: { NODE_EXTRA_CA_CERTS: string };
}

/** @param folder for the certificate and its key */
export function makeCertificate(folder: string, name = "localhost"): Certificate {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const named = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name},IP:127.0.0.1`];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "1"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", ...kind, ...named, ...files], { stdio: "pipe" });
  return {
    key: readFileSync(key),
    cert: readFileSync(certificate),
    env: { NODE_EXTRA_CA_CERTS: certificate },
  };
}

/** @param folder for the certificate and its key */
export async function startHttpsPages(folder: string): Promise<HttpsPages> {
  const { key, cert, env } = makeCertificate(folder);
  const pages = new Map<string, object>();
  const asked: string[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const page = pages.get(path);
    response
      .writeHead(page === undefined ? 404 : 200, { "Content-Type": "application/json" })
      .end(JSON.stringify(page ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    pages,
    asked,
    env,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
