/**
 * Our program for the inside, as text: its modules name each other by their content, in `data:` URLs.
 * So it is there wherever a command can be run, and needs no file that a sandbox would have to show.
 */

import { readFileSync } from 'node:fs'
import { stripTypes } from './source-file.ts'

/** What `node -e` is given; the rest comes on its input. */
export const bootstrap: string =
  "const chunks = []; process.stdin.on('data', (chunk) => chunks.push(chunk)).on('end', () => {" +
  ' const { supervisor, worker, job } = JSON.parse(Buffer.concat(chunks).toString());' +
  ' import(supervisor).then((program) => program.supervise(job, worker)) })'

export interface InsideProgram {
  readonly supervisor: string
  readonly worker: string
}

let linked: InsideProgram | undefined

export function insideProgram(): InsideProgram {
  linked ??= { supervisor: link('supervisor'), worker: link('worker') }
  return linked
}

/** Built, it is JavaScript; from the sources, as tests run it, the types go. */
const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

function link(name: string, under: readonly string[] = []): string {
  if (under.includes(name)) throw new Error(`inside/${name} imports itself.`)
  const text = readFileSync(new URL(`./inside/${name}${ending}`, import.meta.url), 'utf8')
  const code = (ending === '.ts' ? stripTypes(text) : text).replaceAll(
    /(from\s+['"])\.\/([\w-]+)\.[jt]s(['"])/g,
    (_, before: string, other: string, after: string) =>
      `${before}${link(other, [...under, name])}${after}`,
  )
  const named = code.replace(/\n\/\/# sourceMappingURL=.*$/m, '')
  const encoded = Buffer.from(`${named}\n//# sourceURL=loopwright-repair/${name}.js\n`)
  return `data:text/javascript;base64,${encoded.toString('base64')}`
}
