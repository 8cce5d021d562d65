/**
 * Lets test runners in the sandbox report their tests: a folder with our programs and a socket, mounted for the
 * checks of one clean checkout.
 */

import { existsSync } from 'node:fs'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  collectReport,
  listSandboxFiles,
  type ReportCollector,
  type RunnerReport,
  type WantedTests,
} from '../../../evidence/index.ts'
import {
  findUserPrograms,
  innerFolder,
  type SandboxSpec,
  type Tier,
} from '../../../sandbox/index.ts'
import { makePrivateFolder } from '../../../workspace/index.ts'
import { pathFromTop } from './path-from-top.ts'

export interface Identity {
  /** Where a check sees our files. */
  readonly folder: string
  /** For checks during iterations: only runners that can report at almost no cost do. */
  readonly isQuick?: true
  /** What must be mounted for a command. */
  readonly shows: Pick<SandboxSpec, 'files' | 'programs'>
  /**
   * Everything reported until `end` belongs to one run in the tree with this root. `only`: the tests to run.
   */
  begin(top: string, only?: WantedTests): Promise<void>
  /** Called after the command returned, when no process in the sandbox is alive. */
  end(): Promise<RunnerReport>
  close(): Promise<void>
}

const systemFolders = ['/usr/local/bin', '/usr/bin', '/usr/local/go/bin']

/** Data sent by a process before it died arrives within this time. */
const drainMs = 2000

export async function openIdentity(
  tier: Tier,
  path?: string,
  quick: Pick<Identity, 'isQuick'> = {},
): Promise<Identity> {
  const own = await makePrivateFolder()
  const hostFolder = join(own.path, 'shown')
  const folder = tier === 'strong' ? `${innerFolder}/identity` : hostFolder
  try {
    await writeFiles(hostFolder, folder, path ?? process.env['PATH'] ?? '')
    const channel = await openChannel(join(hostFolder, 'sock'))
    const wanted = join(hostFolder, 'only.json')
    return {
      folder,
      ...quick,
      async begin(top, only) {
        if (only === undefined) await rm(wanted, { force: true })
        else await writeFile(wanted, JSON.stringify(only))
        channel.begin(top)
      },
      end: () => channel.end(),
      shows: {
        programs: quick.isQuick === true ? [] : [`${folder}/bin`],
        ...(tier === 'strong' ? { files: [{ from: hostFolder, to: folder }] } : {}),
      },
      async close() {
        await channel.close()
        await own.remove()
      },
    }
  } catch (error) {
    await own.remove()
    throw error
  }
}

async function writeFiles(hostFolder: string, folder: string, searched: string): Promise<void> {
  const folders = [...findUserPrograms({ home: homedir(), path: searched }).path, ...systemFolders]
  const tools = (['go', 'cargo'] as const).filter((tool) =>
    folders.some((one) => existsSync(join(one, tool))),
  )
  for (const { name, content, isExecutable } of await listSandboxFiles(folder, tools)) {
    const path = join(hostFolder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o755 })
    await writeFile(path, content)
    await chmod(path, isExecutable ? 0o555 : 0o444)
  }
}

interface Channel extends Pick<Identity, 'end' | 'close'> {
  begin(top: string): void
}

async function openChannel(path: string): Promise<Channel> {
  const open = new Set<Socket>()
  let collector: ReportCollector | undefined
  let onClosed: () => void = () => {}
  const server = createServer((socket) => {
    const connection = collector?.connect()
    if (connection === undefined) return void socket.destroy()
    open.add(socket)
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        if (!connection.push(chunk)) socket.destroy()
      })
      .on('close', () => {
        open.delete(socket)
        onClosed()
      })
  })
  await listen(server, path)
  await chmod(path, 0o666)
  return {
    begin(top) {
      collector = collectReport(pathFromTop(top))
    },
    async end() {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, drainMs)
        onClosed = () => {
          if (open.size > 0) return
          clearTimeout(timer)
          resolve()
        }
        // Pending connections are accepted first.
        setImmediate(() => setImmediate(onClosed))
      })
      onClosed = () => {}
      const report = collector?.report()
      collector = undefined
      for (const socket of open) socket.destroy()
      return report ?? { runners: [], problems: [], replaced: [] }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ path, backlog: 4096 }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
