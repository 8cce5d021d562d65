// Where the programs are that the peers need besides their packages.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const here = fileURLToPath(new URL('.', import.meta.url))

/** Most peers need Node 22 or later; a package brings one, so that all run on the same. */
export const nodePackage = `node-${process.platform}-${process.arch}`
const nodeFolder = join(here, 'node_modules', nodePackage)

export function peerNode() {
  const own = join(nodeFolder, 'bin', 'node')
  return existsSync(own) ? own : process.execPath
}

export function peerNodeVersion() {
  if (peerNode() === process.execPath) return process.versions.node
  return JSON.parse(readFileSync(join(nodeFolder, 'package.json'), 'utf8')).version
}

/** Debian keeps the server's programs out of the path, in a folder per major version. */
export function postgresBin() {
  const debian = '/usr/lib/postgresql'
  const majors = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => b - a) : []
  const folders = [
    ...majors.map((major) => join(debian, major, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  return folders.find((dir) => ['initdb', 'postgres'].every((name) => existsSync(join(dir, name))))
}
