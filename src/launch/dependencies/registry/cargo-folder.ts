/** Copies the packages of a lockfile from the operator's local mirror of crates.io into the layer. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { tryParse } from './lockfile-reading.ts'

export interface CargoFolder {
  /** Unpacked packages, or archives with an index. */
  readonly kind: 'directory' | 'local-registry'
  readonly path: string
}

/** In the home folder of cargo in the sandbox. */
const mirrorFolder = 'mirror'

/** A path in the settings is relative to the parent of their folder. */
export const cargoFolderConfig = ({ kind }: CargoFolder): string =>
  `[source.operator-0]\n${kind} = ".store/${mirrorFolder}"\n`

const lockfile = z.object({
  package: z.array(
    z.object({ name: z.string(), version: z.string(), source: z.string().optional() }),
  ),
})
const manifest = z.object({ package: z.object({ name: z.string(), version: z.string() }) })

/** `home`: that of cargo in the sandbox. Cargo reports packages that the mirror lacks. */
export async function copyFromMirror(
  { kind, path }: CargoFolder,
  text: string,
  home: string,
): Promise<void> {
  const packages = lockfile.safeParse(tryParse(parse, text)).data?.package ?? []
  const wanted = packages.filter((one) => one.source !== undefined)
  const to = join(home, mirrorFolder)
  await mkdir(to, { recursive: true })
  const copy = async (relative: string): Promise<void> => {
    const from = join(path, relative)
    if (!existsSync(from)) return
    await mkdir(dirname(join(to, relative)), { recursive: true })
    await cp(from, join(to, relative), { recursive: true, dereference: true })
  }
  if (kind === 'local-registry') {
    for (const { name, version } of wanted) {
      await copy(`${name}-${version}.crate`)
      await copy(join('index', indexPath(name)))
    }
    return
  }
  const names = new Set(wanted.map(({ name, version }) => `${name} ${version}`))
  for (const folder of existsSync(path) ? readdirSync(path) : []) {
    const file = join(path, folder, 'Cargo.toml')
    if (!existsSync(file)) continue
    const read = manifest.safeParse(tryParse(parse, readFileSync(file, 'utf8'))).data?.package
    if (read !== undefined && names.has(`${read.name} ${read.version}`)) await copy(folder)
  }
}

function indexPath(name: string): string {
  const lower = name.toLowerCase()
  if (lower.length < 3) return join(`${lower.length}`, lower)
  return lower.length === 3
    ? join('3', lower.slice(0, 1), lower)
    : join(lower.slice(0, 2), lower.slice(2, 4), lower)
}
