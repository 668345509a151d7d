// Checks that a Node.js of at least 24 runs here; if not, reports why npm installed none. npm does not fail if it cannot download
// an optional package. Any Node.js must be able to run this file, so it is CommonJS.
const { execSync } = require("node:child_process");
const { packages } = require("./package-lock.json");

const neededMajor = 24;

/** @returns {string} the reason that no package runs here, and a remedy */
function findReason() {
  const { platform, arch } = process;
  const path = Object.keys(packages).find(
    (one) => packages[one].os === platform && packages[one].cpu === arch,
  );
  if (path === undefined)
    return `npm has no Node.js package for ${platform} on ${arch}. Install Node.js 24 or later`;
  const spec = `${path.replace("node_modules/", "")}@${packages[path].version}`;
  try {
    execSync(`npm cache add ${spec}`, { stdio: "inherit" }); // prints npm's own error
  } catch {
    return `npm could not download ${spec}: see its error above. Correct npm's registry, proxy or certificates (cafile)`;
  }
  return `npm's package ${spec} does not run on this machine. Install Node.js 24 or later`;
}

if (Number.parseInt(process.versions.node, 10) < neededMajor) {
  console.error(`${findReason()}, and run make again.`);
  process.exitCode = 2;
}
