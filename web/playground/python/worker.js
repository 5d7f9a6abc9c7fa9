// The worker in which Python runs. It is told once what would be fetched: nothing is.
import { loadPyodide } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";

let answer;

async function load({ wasm, library, sources, about }) {
  const files = { "pyodide.asm.wasm": [wasm, "application/wasm"], "python_stdlib.zip": [library, "application/zip"] };
  self.fetch = async (address) => {
    const [body, type] = files[String(address).split("/").pop()];
    return new Response(body, { headers: { "Content-Type": type } });
  };
  const python = await loadPyodide({ createPyodideModule, indexURL: "https://nowhere.invalid/", lockFileContents: about, packageBaseUrl: "/" });
  python.unpackArchive(sources, "zip", { extractDir: python.runPython('import sysconfig; sysconfig.get_paths()["purelib"]') });
  answer = python.runPython("import laboratory; laboratory.answer");
}

onmessage = async ({ data }) => {
  try {
    const tell = (done) => postMessage({ id: data.id, done });
    const made = data.kind === "load" ? await load(data) : JSON.parse(answer(JSON.stringify(data), tell));
    postMessage({ id: data.id, end: true, ...made });
  } catch (error) {
    postMessage({ id: data.id, error: String(error.message ?? error).trim().split("\n").pop() });
  }
};
