// Programs as root or as an ordinary user, and a copy of the built package that both can read.

import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { afterFile } from '../after.ts'

export type Identity = 'root' | 'user'

export const ordinaryUid = 12345
const isRoot = process.getuid?.() === 0
/** Without root, only ourselves. */
export const identities: readonly Identity[] = isRoot ? ['root', 'user'] : ['user']

const root = resolve(import.meta.dirname, '../..')
export const driver = 'test/installs/drive.mjs'

export interface RunOptions {
  readonly identity?: Identity
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

export interface RunResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export function run(
  program: string,
  args: readonly string[],
  { identity, env, timeoutMs = 150_000 }: RunOptions = {},
): Promise<RunResult> {
  const asUser = ['setpriv', `--reuid=${ordinaryUid}`, `--regid=${ordinaryUid}`, '--clear-groups']
  const before = isRoot && identity === 'user' ? asUser : []
  const [first = '', ...rest] = [...before, program, ...args]
  const child = spawn(first, rest, {
    ...(env === undefined ? {} : { env }),
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  const [stdout, stderr] = [[], []] as [Buffer[], Buffer[]]
  child.stdout.on('data', (chunk: Buffer) => void stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => void stderr.push(chunk))
  return new Promise((done, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) =>
      done({
        exitCode,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      }),
    )
  })
}

let copy: Promise<string> | undefined

/** A folder with `dist` and `drive.mjs` in it that both can read: the checkout, or else a copy. */
export function readableDist(): Promise<string> {
  copy ??= (async () => {
    const files = [join(root, 'dist', 'host', 'index.js'), join(root, 'node_modules', 'zod')]
    const seen = await run('ls', files, { identity: 'user' })
    return seen.exitCode === 0 ? root : copyPackage()
  })()
  return copy
}

function copyPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-dist-'))
  afterFile(() => {
    copy = undefined
    rmSync(folder, { recursive: true, force: true })
  })
  const parts = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: root })
  for (const path of parts.toString().trim().split('\n')) {
    if (path !== root) cpSync(path, join(folder, relative(root, path)), { recursive: true })
  }
  mkdirSync(join(folder, 'dist'), { recursive: true })
  for (const name of ['dist', 'package.json', driver]) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  chmodSync(folder, 0o755)
  return folder
}
