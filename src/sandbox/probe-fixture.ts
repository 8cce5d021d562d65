/** A folder with everything that the probes try to reach, created for one self-test. */

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeTemporaryFolder } from '../system/index.ts'
import type { Targets } from './probes.ts'
import { createMark, isAbandoned } from './process-group.ts'

/** The path of a socket must be short: a longer one would be truncated, and the probe would prove nothing. */
const shortFolder = (): string => (Buffer.byteLength(tmpdir()) > 60 ? '/tmp' : tmpdir())

export interface ProbeFixture extends Targets {
  readonly folder: string
  readonly workspace: string
  /** Appears in the arguments of a process outside the sandbox. */
  readonly marker: string
  readonly pid: number
  close(): Promise<void>
}

const prefix = 'loopwright-probe-'

/** Contains the mark of the process that owns the folder. */
const ownerFile = 'owner'

/** Removes the folders of processes that were killed during a self-test. */
async function removeAbandoned(): Promise<void> {
  const names = process.platform === 'linux' ? await readdir(shortFolder()).catch(() => []) : []
  const folders = names.filter((name) => name.startsWith(prefix))
  await Promise.all(
    folders.map(async (name) => {
      const path = join(shortFolder(), name)
      const owner = await readFile(join(path, ownerFile), 'utf8').catch(() => undefined)
      if (owner === undefined || !isAbandoned(owner)) return
      await rm(path, { recursive: true, force: true }).catch(() => {})
    }),
  )
}

export async function createProbeFixture(): Promise<ProbeFixture> {
  await removeAbandoned()
  const folder = await realpath(await makeTemporaryFolder(prefix, shortFolder()))
  await writeFile(join(folder, ownerFile), createMark().own)
  const marker = `loopwright-probe-${randomUUID()}`
  const abstractName = `loopwright-${randomUUID()}`
  // It exits when its input closes, and so with this process.
  const other = spawn('/bin/sh', ['-c', 'read line', marker], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  })
  other.on('error', () => {})
  const servers: Server[] = []
  const close = async (): Promise<void> => {
    other.kill('SIGKILL')
    for (const server of servers) server.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await writeFiles(folder)
    const socket = join(folder, 'host.sock')
    const port = await listen(servers, { port: 0, host: '127.0.0.1' })
    await listen(servers, { path: socket })
    if (process.platform === 'linux') await listen(servers, { path: `\0${abstractName}` })
    const workspace = join(folder, 'ws')
    return {
      folder,
      workspace,
      marker,
      pid: other.pid ?? 0,
      port,
      socket,
      abstractName,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A repository with two worktrees, as git would write them, but without starting git six times. */
async function writeFiles(folder: string): Promise<void> {
  const git = join(folder, 'repo', '.git')
  const worktree = (name: string): readonly (readonly [string, string])[] => [
    [join(folder, name, '.git'), `gitdir: ${git}/worktrees/${name}\n`],
    [join(git, 'worktrees', name, 'HEAD'), `ref: refs/heads/${name}\n`],
    [join(git, 'worktrees', name, 'commondir'), '../..\n'],
    [join(git, 'worktrees', name, 'gitdir'), `${folder}/${name}/.git\n`],
  ]
  const files = [
    [join(folder, 'home', '.ssh', 'id_rsa'), 'key'],
    [join(folder, 'home', '.aws', 'credentials'), 'key'],
    [join(folder, 'outside', 'there.txt'), ''],
    [join(git, 'HEAD'), 'ref: refs/heads/main\n'],
    [join(git, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n'],
    [join(git, 'hooks', 'README'), ''],
    [join(git, 'objects', 'info', 'packs'), ''],
    [join(git, 'refs', 'heads', '.keep'), ''],
    ...worktree('ws'),
    ...worktree('wt2'),
    [join(folder, 'wt2', 'secret.txt'), 'secret'],
  ] as const
  for (const parent of new Set(files.map(([file]) => dirname(file)))) {
    await mkdir(parent, { recursive: true })
  }
  await Promise.all(files.map(([file, text]) => writeFile(file, text)))
}

function listen(
  servers: Server[],
  endpoint: { readonly port: number; readonly host: string } | { readonly path: string },
): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).end('reached')
  })
  servers.push(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(endpoint, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}
