// Builds the code for the edge, one file each: the Cloudflare Worker, and the CloudFront distribution with its function.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The Worker as one module. */
export function buildWorker(): Promise<string> {
  return bundle("cloudflare/worker.ts");
}

/** Maximum bytes of a CloudFront function. */
const functionBytesMax = 10_240;

/** The CloudFront function: a script with a function `handler`, because the runtime has no exports. */
export async function buildFunction(): Promise<string> {
  const code = await bundle("cloudfront/function.ts");
  const [exported, name] = /export\{(\w+) as handler,\w+ as serverOrigin\};?\s*$/.exec(code) ?? [];
  if (exported === undefined)
    throw new Error(`the build of the CloudFront function exports no handler: ${code}`);
  const script = code.replace(exported, `function handler(event){return ${name}(event)}\n`);
  const bytes = Buffer.byteLength(script);
  if (bytes > functionBytesMax)
    throw new Error(`the CloudFront function has ${bytes} bytes; at most ${functionBytesMax} are allowed`);
  return script;
}

/** The CloudFormation template of the distribution, with the code of the function. */
export async function buildDistribution(): Promise<string> {
  const template = await readFile(join(here, "cloudfront/distribution.yaml"), "utf8");
  const code = JSON.stringify(await buildFunction()); // YAML's double-quoted form
  return template.replace('"<function.js>"', () => code);
}

async function bundle(entry: string): Promise<string> {
  const build = await rolldown({
    input: join(here, entry),
    platform: "neutral",
    external: "cloudfront",
    transform: { target: "es2020" },
    treeshake: { moduleSideEffects: false },
  });
  try {
    const { output } = await build.generate({ format: "esm", minify: true });
    return output[0].code;
  } finally {
    await build.close();
  }
}

if (import.meta.main) {
  const folder = join(here, "dist");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "worker.js"), await buildWorker());
  await writeFile(join(folder, "distribution.yaml"), await buildDistribution());
}
