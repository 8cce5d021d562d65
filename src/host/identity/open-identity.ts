/**
 * The way by which test runners inside the sandbox report: a folder with our programs and a socket, shown to
 * the checks of one certifying place.
 */

import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import {
  collectReport,
  insideFiles,
  type ReportCollector,
  type RunnerReport,
} from '../../evidence/index.ts'
import { innerFolder, type SandboxPlace, type Tier } from '../../sandbox/index.ts'
import { makeOwnFolder } from '../own-folder.ts'
import { pathFromTop } from './path-from-top.ts'

export interface Identity {
  /** Where our files are for a check. */
  readonly folder: string
  /** What a command needs to see. */
  readonly shows: Pick<SandboxPlace, 'files' | 'programs'>
  /** Everything reported until `end` belongs to one run, in the tree with this top. */
  begin(top: string): void
  /** After the command returned: nothing inside is alive. */
  end(): Promise<RunnerReport>
  close(): Promise<void>
}

/** What was sent before its sender died arrives within this. */
const drainMs = 2000

export async function openIdentity(tier: Tier): Promise<Identity> {
  const own = await makeOwnFolder()
  const shown = join(own.path, 'shown')
  const folder = tier === 'strong' ? `${innerFolder}/identity` : shown
  try {
    await writeFiles(shown, folder)
    const channel = await openChannel(join(shown, 'sock'))
    return {
      ...channel,
      folder,
      shows: {
        programs: [`${folder}/bin`],
        ...(tier === 'strong' ? { files: [{ from: shown, to: folder }] } : {}),
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

async function writeFiles(shown: string, folder: string): Promise<void> {
  for (const { name, content, isExecutable } of await insideFiles(folder)) {
    const path = join(shown, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o755 })
    await writeFile(path, content)
    await chmod(path, isExecutable ? 0o555 : 0o444)
  }
}

async function openChannel(path: string): Promise<Pick<Identity, 'begin' | 'end' | 'close'>> {
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
        // Connections that wait to be accepted come first.
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
