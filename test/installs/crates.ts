// Crates of Debian's librust-*-dev packages: as the folder that they are, and as a sparse index.

import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tarball } from './tarball.ts'

export interface Crate {
  readonly name: string
  readonly version: string
}

const sources = '/usr/share/cargo/registry'
const folderOf = ({ name, version }: Crate): string => join(sources, `${name}-${version}`)
const sha256 = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('hex')

/** A directory source, such as `cargo vendor` writes. Returns the checksums for `Cargo.lock`. */
export function makeDirectorySource(folder: string, crates: readonly Crate[]): readonly string[] {
  return crates.map((crate) => {
    const path = join(folder, `${crate.name}-${crate.version}`)
    cpSync(folderOf(crate), path, { recursive: true })
    // Debian does not always know the checksum.
    const checksum = sha256(`${crate.name} ${crate.version}`)
    const text = JSON.stringify({ package: checksum, files: {} })
    writeFileSync(join(path, '.cargo-checksum.json'), text)
    return checksum
  })
}

/** A sparse index in a folder, to be served at this URL. Returns the checksums for `Cargo.lock`. */
export function makeSparseIndex(
  folder: string,
  url: string,
  crates: readonly Crate[],
  needsToken: boolean,
): readonly string[] {
  const config = { dl: `${url}files`, ...(needsToken ? { 'auth-required': true } : {}) }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  return crates.map((crate) => {
    const { name, version } = crate
    const bytes = tarball(
      filesIn(folderOf(crate)).map((file) => ({
        name: `${name}-${version}/${file}`,
        content: readFileSync(join(folderOf(crate), file), 'utf8'),
      })),
    )
    const archive = join(folder, 'files', name, version, 'download')
    mkdirSync(dirname(archive), { recursive: true })
    writeFileSync(archive, bytes)
    const entry = {
      name,
      vers: version,
      deps: [],
      cksum: sha256(bytes),
      features: {},
      yanked: false,
    }
    const index = join(folder, name.slice(0, 2), name.slice(2, 4), name)
    mkdirSync(dirname(index), { recursive: true })
    writeFileSync(index, `${JSON.stringify(entry)}\n`)
    return entry.cksum
  })
}

const filesIn = (folder: string): readonly string[] =>
  ['', 'src'].flatMap((below) =>
    readdirSync(join(folder, below), { withFileTypes: true })
      .filter(
        (one) => one.isFile() && /\.(?:toml|rs)$/.test(one.name) && one.name !== '.clippy.toml',
      )
      .map(({ name }) => join(below, name)),
  )
