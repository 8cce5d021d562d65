/** The files that a check sees while its tests are observed, by their names in one folder. */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { pytestPlugin } from './pytest-plugin.ts'
import { pythonChannel } from './python-channel.ts'
import { pythonStart } from './python-start.ts'
import { nodeShim, testRunner, toolShim } from './shims.ts'
import { unittestReporter } from './unittest-reporter.ts'

export interface SandboxFile {
  readonly name: string
  readonly content: string
  readonly isExecutable: boolean
}

const compiled = [
  'preload.cjs',
  'channel.cjs',
  'witness.cjs',
  'looks.cjs',
  'restrict.cjs',
  'node-test.cjs',
  'mocha.cjs',
  'tap.cjs',
  'reporter.cjs',
  'ava-hooks.mjs',
  'find-test-file.cjs',
  'run-tests.cjs',
  'run-tool.cjs',
  'run-with-junit.cjs',
]

/** `folder`: where the check sees them; `tools`: the tools that it has. */
export async function listSandboxFiles(
  folder: string,
  tools: readonly ('go' | 'cargo')[],
): Promise<readonly SandboxFile[]> {
  const modules = compiled.map(async (name) => plain(name, await readFile(builtFile(name), 'utf8')))
  return [
    ...(await Promise.all(modules)),
    program('node', nodeShim(folder)),
    ...tools.flatMap((tool) => [
      program(tool, toolShim(folder, tool)),
      program(`run-${tool}-tests`, testRunner(folder, tool)),
    ]),
    plain('python/loopwright_identity.py', pytestPlugin),
    plain('python/loopwright_channel.py', pythonChannel),
    plain('python/loopwright_unittest.py', unittestReporter),
    plain('python/sitecustomize.py', pythonStart),
  ]
}

const program = (name: string, content: string): SandboxFile => ({
  name: `bin/${name}`,
  content,
  isExecutable: true,
})

const plain = (name: string, content: string): SandboxFile => ({
  name,
  content,
  isExecutable: false,
})

/** Tests run from the sources; the compiled files are in `dist/`. */
function builtFile(name: string, own: string = import.meta.url): string {
  const built = own.endsWith('.ts') ? own.replace(/\/src\/(?!.*\/src\/)/, '/dist/') : own
  return fileURLToPath(new URL(`./inside/${name}`, built))
}
