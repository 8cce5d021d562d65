/** The operator's mirror of crates.io in a folder: what a lockfile needs of it is copied into the layer. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { tryParse } from './lockfile-reading.ts'

export interface CargoFolder {
  /** Of packages that are unpacked, or of archives with an index. */
  readonly kind: 'directory' | 'local-registry'
  readonly path: string
}

/** In cargo's home inside. */
const copied = 'mirror'

/** A path in settings is relative to the folder above that of the settings. */
export const cargoFolderConfig = ({ kind }: CargoFolder): string =>
  `[source.operator-0]\n${kind} = ".store/${copied}"\n`

const lockfile = z.object({
  package: z.array(
    z.object({ name: z.string(), version: z.string(), source: z.string().optional() }),
  ),
})
const manifest = z.object({ package: z.object({ name: z.string(), version: z.string() }) })

/** `home`: cargo's, inside. What the mirror has not got, cargo reports. */
export async function copyFromMirror(
  { kind, path }: CargoFolder,
  text: string,
  home: string,
): Promise<void> {
  const packages = lockfile.safeParse(tryParse(parse, text)).data?.package ?? []
  const wanted = packages.filter((one) => one.source !== undefined)
  const to = join(home, copied)
  await mkdir(to, { recursive: true })
  const copy = async (below: string): Promise<void> => {
    const from = join(path, below)
    if (!existsSync(from)) return
    await mkdir(dirname(join(to, below)), { recursive: true })
    await cp(from, join(to, below), { recursive: true, dereference: true })
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
