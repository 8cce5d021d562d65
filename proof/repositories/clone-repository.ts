/** A repository of the mirror, cloned and checked out at its commit, as a developer would have it. */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Repository } from './repository.ts'

export interface Ended {
  readonly code: number
  readonly output: string
  readonly ms: number
}

export interface Clone {
  readonly folder: string
  /** Files that the snapshot in the mirror lacks; a commit of ours removed them. */
  readonly absent: readonly string[]
  readonly path: string
}

const minutes = 60_000
const author = ['-c', 'user.name=proof', '-c', 'user.email=proof@localhost']

/** As mirrors lay repositories out. Undefined: it has none. */
export function findInMirror(mirror: string, name: string): string | undefined {
  const [owner = '', short = ''] = name.split('/')
  return [
    join(mirror, `${owner}+${short}`, 'repo'),
    join(mirror, owner, `${short}.git`),
    join(mirror, owner, short),
  ].find((folder) => existsSync(folder))
}

export async function cloneRepository(
  repository: Repository,
  mirrored: string,
  work: string,
): Promise<Clone> {
  const folder = join(work, repository.name.replace('/', '+'))
  await must(['git', 'clone', '-q', '--no-checkout', mirrored, folder], work)
  const { commit } = repository
  await must(['git', 'update-ref', 'refs/heads/proof', commit], folder)
  await must(['git', 'symbolic-ref', 'HEAD', 'refs/heads/proof'], folder)
  await must(['git', 'read-tree', commit], folder)
  const absent = await absentFiles(folder, commit)
  if (absent.length > 0) {
    await must(['git', 'rm', '-q', '--cached', '--', ...absent], folder)
    await must(['git', ...author, 'commit', '-qm', 'Remove what the mirror lacks'], folder)
  }
  // With the times of the files in the index, as after a checkout: else git reads every file to compare it.
  await must(['git', 'checkout-index', '-qfau'], folder)
  const path = await bringTools(repository, work)
  for (const command of repository.prepare ?? []) await must(command, folder, path)
  return { folder, absent, path }
}

/** Snapshots leave out large files. */
async function absentFiles(folder: string, commit: string): Promise<readonly string[]> {
  const listed = await must(['git', 'ls-tree', '-r', '-z', commit], folder)
  const files = listed.split('\0').flatMap((line) => {
    const [, type, hash, path] = /^\d+ (\w+) (\w+)\t(.*)$/s.exec(line) ?? []
    return type === 'blob' && hash !== undefined && path !== undefined ? [{ hash, path }] : []
  })
  const hashes = `${files.map(({ hash }) => hash).join('\n')}\n`
  const answer = await must(['git', 'cat-file', '--batch-check'], folder, undefined, hashes)
  const missing = new Set(
    answer.split('\n').flatMap((line) => (line.endsWith(' missing') ? [line.split(' ')[0]] : [])),
  )
  return files.filter(({ hash }) => missing.has(hash)).map(({ path }) => path)
}

/** Package managers that the machine may not have, for bare checks. */
async function bringTools({ tools = [] }: Repository, work: string): Promise<string> {
  const folders = ['.venv/bin', 'node_modules/.bin']
  for (const tool of tools) {
    const folder = join(work, 'tools', tool.replaceAll('/', '+'))
    if (!existsSync(folder)) {
      await mkdir(folder, { recursive: true })
      const install = ['npm', 'install', '--prefix', folder, '--ignore-scripts', '--silent', tool]
      await must(install, folder)
    }
    const modules = join(folder, 'node_modules')
    folders.unshift(
      join(modules, '.bin'),
      join(modules, ...tool.replace(/@[^@]*$/, '').split('/'), 'bin'),
    )
  }
  return [...folders, process.env['PATH'] ?? ''].join(delimiter)
}

/** A fault in the base, as a commit. */
export async function commitAll(folder: string, message: string): Promise<void> {
  await must(['git', ...author, 'commit', '-qam', message, '--no-verify'], folder)
}

async function must(
  command: readonly string[],
  cwd: string,
  path?: string,
  input?: string,
): Promise<string> {
  const { code, output } = await run(command, cwd, path === undefined ? {} : { PATH: path }, input)
  if (code === 0) return output
  throw new Error(`${command.join(' ').slice(0, 200)} ended with ${code}: ${output.slice(-500)}`)
}

export function run(
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
  input = '',
): Promise<Ended> {
  const startedMs = performance.now()
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: { ...process.env, ...env },
      maxBuffer: 256e6,
      timeout: 20 * minutes,
    }
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      const output = code === 0 ? stdout : `${stdout}\n${stderr}`
      resolve({ code, output, ms: performance.now() - startedMs })
    })
    // It may end without reading.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
