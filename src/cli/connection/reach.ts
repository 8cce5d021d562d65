/**
 * Chooses what answers a command: a daemon or this process. The first that applies:
 *
 *   --no-daemon, daemon.use: false     this process (also LOOP_USE_DAEMON=0)
 *   --addr, daemon.address             the daemon at that address (also LOOPD_ADDR)
 *   the daemon of the state folder     that daemon, through its socket
 *   the daemon is silent               an error if a run has to be driven; else this process
 *   the command drives a run           a daemon, which is started
 *   otherwise                          this process
 */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Client, DaemonFile } from '../../client/index.ts'
import { LoopError } from '../../loop/index.ts'
import { visible } from '../display/render.ts'
import { withGlobals } from '../hints.ts'
import { type GlobalOptions, readStateFolder } from '../session.ts'
import { version } from '../version.ts'

export type Reach =
  | { readonly type: 'in-process' }
  | {
      readonly type: 'daemon'
      readonly client: Client
      /** Its state folder, if that is on this machine. */
      readonly folder?: string
      /** It was started for this command. */
      readonly isNew?: true
    }

/** If the daemon goes away while it drives a run, the command continues with the next one, or starts it. */
export async function reach(
  program: Command,
  need: 'look' | 'drive',
  /** Checked before a daemon is started, since a new daemon resumes every waiting run. */
  beforeStart?: (folder: string) => Promise<void>,
): Promise<Reach> {
  const way = await reachNow(program, need, beforeStart)
  if (way.type === 'in-process' || need === 'look') return way
  const { steadyClient } = await import('../../client/steady-client.ts')
  const find = async (): Promise<Client> => {
    const found = await reachNow(program, need)
    return found.type === 'daemon' ? found.client : way.client
  }
  return { ...way, client: steadyClient(way.client, find) }
}

async function reachNow(
  program: Command,
  need: 'look' | 'drive',
  beforeStart?: (folder: string) => Promise<void>,
): Promise<Reach> {
  const { addr, daemon } = program.opts<GlobalOptions>()
  if (!daemon && addr !== undefined) {
    throw new LoopError('bad-request', '--addr and --no-daemon conflict; use one.')
  }
  if (!daemon) return { type: 'in-process' }
  const folder = resolve(await readStateFolder(program))
  const { use, address } = await daemonSettings(program, addr)
  if (!use && addr === undefined) return { type: 'in-process' }
  if (address !== undefined) {
    return { type: 'daemon', ...(await atAddress(program, address, folder)) }
  }
  const known = ownToken(program)
  const { clientOf, readDaemonFile } = await import('../../client/node/find-daemon.ts')
  const file = readDaemonFile(folder)
  const found = file === undefined ? undefined : clientOf(folder, known)
  if (file !== undefined && found !== undefined && (await answers(found))) {
    tellOfSkew(file)
    return { type: 'daemon', client: found, folder }
  }
  const { answerOfHolder, describeSilence, holderOf } = await import('./silent-daemon.ts')
  const holder = await holderOf(folder)
  if (need === 'look') {
    if (holder !== undefined)
      process.stderr.write(withGlobals(program, `${describeSilence(holder)}\n`))
    return { type: 'in-process' }
  }
  const there = await answerOfHolder({ folder, token: known })
  if (there !== undefined) return { type: 'daemon', client: there, folder }
  await beforeStart?.(folder)
  const { startDaemon } = await import('../../client/node/start-daemon.ts')
  const { client, pid } = await startDaemon({ folder, token: known })
  if (pid === undefined) return { type: 'daemon', client, folder }
  if (program.opts<GlobalOptions>().quiet !== true) {
    const at = visible(readDaemonFile(folder)?.address ?? client.where)
    process.stderr.write(
      withGlobals(
        program,
        `Started the daemon, process ${pid}, at ${at}. Stop it: loopctl daemon stop\n`,
      ),
    )
  }
  return { type: 'daemon', client, folder, isNew: true }
}

/** Undefined: none was passed; the state folder may have one. */
function givenToken(program: Command): string | undefined {
  return program.opts<GlobalOptions>().token ?? (process.env['LOOPD_TOKEN'] || undefined)
}

/** The token that the daemon of the state folder accepts: the one it is started with. */
export function ownToken(program: Command): string | undefined {
  return givenToken(program) ?? (process.env['LOOPD_AUTH_TOKEN'] || undefined)
}

/** From the command line, the environment and the config files. */
async function daemonSettings(
  program: Command,
  addr: string | undefined,
): Promise<{ readonly use: boolean; readonly address?: string }> {
  if (addr === '') throw new LoopError('bad-request', '--addr needs an address.')
  const { configHere } = await import('../settings-here.ts')
  const flags = addr === undefined ? {} : { daemon: { address: addr } }
  return (await configHere(program, flags)).settings.daemon
}

async function answers(client: Client): Promise<boolean> {
  const { isHealthy } = await import('../../client/wait-for-health.ts')
  return isHealthy(client)
}

/**
 * The daemon of this state folder is reached through its socket even if it is named by its address. The
 * token of the state folder is for that daemon only; any other needs its token passed explicitly.
 */
async function atAddress(
  program: Command,
  address: string,
  folder: string,
): Promise<{ readonly client: Client; readonly folder?: string }> {
  const [{ clientOf, readDaemonFile }, { waitForHealth }, { parseAddress, describeEndpoint }] =
    await Promise.all([
      import('../../client/node/find-daemon.ts'),
      import('../../client/wait-for-health.ts'),
      import('../../client/node/endpoint.ts'),
    ])
  const origin = describeEndpoint(parseAddress(address))
  const file = readDaemonFile(folder)
  if (file !== undefined && file.address === origin) {
    const client = await waitForHealth(() => clientOf(folder, ownToken(program)))
    tellOfSkew(file)
    return { client, folder }
  }
  const known = givenToken(program)
  if (known === undefined) {
    const message = `The token of the daemon at ${origin} is unknown: it uses another state folder.`
    throw new LoopError('not-configured', `${message} Pass it with --token or LOOPD_TOKEN.`)
  }
  const { connect } = await import('../../client/node/connect.ts')
  const client = connect({ address, token: known })
  return { client: await waitForHealth(() => client) }
}

function tellOfSkew({ version: theirs }: DaemonFile): void {
  const ours = version()
  if (theirs === ours) return
  process.stderr.write(
    `warning: the daemon is version ${visible(theirs)}, loopctl is ${ours}. ` +
      'To restart it with this version: loopctl daemon restart\n',
  )
}
