/**
 * The program that runs in the sandbox, as text: its modules import each other by content, as
 * `data:` URLs. So it is available wherever a command can be run, and needs no file in the sandbox.
 */

import { readFileSync } from 'node:fs'
import { stripTypes } from './source-file.ts'

/** The argument of `node -e`; the rest is read from standard input. */
export const bootstrap: string =
  "const chunks = []; process.stdin.on('data', (chunk) => chunks.push(chunk)).on('end', () => {" +
  ' const { supervisor, worker, job } = JSON.parse(Buffer.concat(chunks).toString());' +
  ' import(supervisor).then((program) => program.supervise(job, worker)) })'

export interface SandboxedProgram {
  readonly supervisor: string
  readonly worker: string
}

let linked: SandboxedProgram | undefined

export function sandboxedProgram(): SandboxedProgram {
  linked ??= { supervisor: link('supervisor'), worker: link('worker') }
  return linked
}

/** JavaScript in the build; when tests run from the sources, types are stripped. */
const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

function link(name: string, under: readonly string[] = []): string {
  if (under.includes(name)) throw new Error(`sandboxed/${name} imports itself.`)
  const text = readFileSync(new URL(`./sandboxed/${name}${ending}`, import.meta.url), 'utf8')
  const code = (ending === '.ts' ? stripTypes(text) : text).replaceAll(
    /(from\s+['"])\.\/([\w-]+)\.[jt]s(['"])/g,
    (_, before: string, other: string, after: string) =>
      `${before}${link(other, [...under, name])}${after}`,
  )
  const named = code.replace(/\n\/\/# sourceMappingURL=.*$/m, '')
  const encoded = Buffer.from(`${named}\n//# sourceURL=loopwright-repair/${name}.js\n`)
  return `data:text/javascript;base64,${encoded.toString('base64')}`
}
