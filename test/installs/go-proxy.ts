// A module proxy in a folder, filled from the sources that Debian's golang-*-dev packages install.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ZipEntry, zip } from './zip.ts'

export interface GoModule {
  /** Without capitals, which the layout of a proxy escapes. */
  readonly path: string
  readonly version: string
}

const sources = '/usr/share/gocode/src'

/**
 * Returns the `go.sum` of a project that needs all of them: Debian's files differ from upstream.
 */
export function makeGoProxy(folder: string, modules: readonly GoModule[]): string {
  return modules.map((one) => addModule(folder, one)).join('')
}

function addModule(folder: string, { path, version }: GoModule): string {
  const source = join(sources, path)
  const mod = readdirSync(source).includes('go.mod')
    ? readFileSync(join(source, 'go.mod'))
    : Buffer.from(`module ${path}\n`)
  const files = readdirSync(source, { withFileTypes: true })
    .filter((one) => one.isFile() && one.name.endsWith('.go'))
    .map(({ name }) => ({ name, content: readFileSync(join(source, name)) }))
  const entries = [...files, { name: 'go.mod', content: mod }].map(({ name, content }) => ({
    name: `${path}@${version}/${name}`,
    content,
  }))
  const versions = join(folder, path, '@v')
  mkdirSync(versions, { recursive: true })
  writeFileSync(join(versions, 'list'), `${version}\n`)
  writeFileSync(join(versions, `${version}.mod`), mod)
  writeFileSync(join(versions, `${version}.zip`), zip(entries))
  writeFileSync(
    join(versions, `${version}.info`),
    JSON.stringify({ Version: version, Time: '2024-01-01T00:00:00Z' }),
  )
  const sums = [hashFiles(entries), hashFiles([{ name: 'go.mod', content: mod }])]
  return `${path} ${version} ${sums[0]}\n${path} ${version}/go.mod ${sums[1]}\n`
}

/** What `go.sum` calls h1. */
function hashFiles(entries: readonly ZipEntry[]): string {
  const lines = entries
    .toSorted((one, two) => (one.name < two.name ? -1 : 1))
    .map(({ name, content }) => `${digest(content, 'hex')}  ${name}\n`)
  return `h1:${digest(Buffer.from(lines.join('')), 'base64')}`
}

const digest = (content: Buffer, encoding: 'hex' | 'base64'): string =>
  createHash('sha256').update(content).digest(encoding)
