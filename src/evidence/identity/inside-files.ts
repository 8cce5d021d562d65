/** The files of ours that a check sees while its tests are observed, by their names in one folder. */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { nodeShim } from './node-shim.ts'
import { pytestPlugin } from './pytest-plugin.ts'

export interface InsideFile {
  readonly name: string
  readonly content: string
  readonly isExecutable: boolean
}

const compiled = [
  'preload.cjs',
  'channel.cjs',
  'witness.cjs',
  'node-test.cjs',
  'mocha.cjs',
  'reporter.cjs',
]

/** `folder`: where the check sees them. */
export async function insideFiles(folder: string): Promise<readonly InsideFile[]> {
  const modules = compiled.map(async (name) => plain(name, await readFile(builtFile(name), 'utf8')))
  return [
    ...(await Promise.all(modules)),
    { name: 'bin/node', content: nodeShim(folder), isExecutable: true },
    plain('python/loopwright_identity.py', pytestPlugin),
  ]
}

const plain = (name: string, content: string): InsideFile => ({
  name,
  content,
  isExecutable: false,
})

/** Running from the sources, as tests do, the built ones are in `dist/`. */
function builtFile(name: string, own: string = import.meta.url): string {
  const built = own.endsWith('.ts') ? own.replace(/\/src\/(?!.*\/src\/)/, '/dist/') : own
  return fileURLToPath(new URL(`./inside/${name}`, built))
}
