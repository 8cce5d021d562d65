/** Commands about the daemon of the state folder: start, stop, status, logs, token, install. */

import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Command, Option } from 'commander'
import type { Client, DaemonInfo } from '../../client/index.ts'
import { errorTable, isLoopError, LoopError } from '../../loop/index.ts'
import { ownToken } from '../connection/reach.ts'
import { plural, renderSpan } from '../display/amounts.ts'
import { renderTable, renderTime, visible } from '../display/render.ts'
import { openSession, readStateFolder, wholeNumber } from '../session.ts'
import { addNamedTokens } from './named-tokens.ts'

interface StartOptions {
  readonly port?: number
  readonly host?: string
  readonly publicName?: readonly string[]
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly maxConcurrentRuns?: number
  readonly maxRunsPerWorkspace?: number
  readonly queuePolicy?: string
}

export function addDaemon(program: Command): void {
  const daemon = program
    .command('daemon')
    .description('manage the daemon, which drives runs in the background')
    .action(() => status(program))
  const start = daemon.command('start').description('start the daemon')
  addSettings(start).action((options: StartOptions) => startIt(program, options))
  daemon
    .command('stop')
    .description('stop the daemon; its runs resume when it starts again')
    .option('--force', 'kill it if it does not stop; its runs can be resumed')
    .action((options: { force?: boolean }) => stop(program, options.force === true))
  const again = daemon.command('restart').description('restart the daemon; its runs resume')
  addSettings(again).action((options: StartOptions) => restart(program, options))
  daemon
    .command('status')
    .description('show whether the daemon is running, and its queue')
    .action(() => status(program))
  daemon
    .command('logs')
    .description('print the log of the daemon')
    .option('-f, --follow', 'keep printing new lines')
    .option('-n, --lines <n>', 'number of lines to print', wholeNumber, 100)
    .action(async (options: { follow?: boolean; lines: number }) => {
      const { showLog } = await import('../connection/daemon-log.ts')
      await showLog(openSession(program), await readStateFolder(program), options)
    })
  const tokens = daemon
    .command('token')
    .description('print, rotate, add or revoke tokens of the daemon')
    .option('--read-only', 'the read-only token')
    .option('--rotate', 'create a new token; the old one stops working')
    .action((options: { readOnly?: boolean; rotate?: boolean }) => token(program, options))
  addNamedTokens(program, tokens)
  const install = daemon
    .command('install')
    .description('print a systemd unit that starts the daemon at boot')
    .option('--print', 'print the unit')
  addSettings(install).action((options: StartOptions & { print?: boolean }) =>
    printUnit(program, options),
  )
}

/** The same options as loopd. */
const addSettings = (command: Command): Command =>
  command
    .option('--port <number>', 'port to listen on; 0: any free port (default: 7700)', wholeNumber)
    .option('--host <address>', 'address to listen on; others need TLS (default: 127.0.0.1)')
    .option('--public-name <name...>', 'other host names that clients use, with TLS')
    .option('--tls-cert <file>', 'TLS certificate, PEM')
    .option('--tls-key <file>', 'key of the TLS certificate, PEM')
    .option('--max-concurrent-runs <n>', 'maximum runs at a time (default: 3)', wholeNumber)
    .option('--max-runs-per-workspace <n>', 'maximum runs at a time in one repository', wholeNumber)
    .addOption(
      new Option('--queue-policy <policy>', 'order of the queue (default: fifo)').choices([
        'fifo',
        'newest-first',
        'priority',
      ]),
    )

function argumentsFrom(options: StartOptions): readonly string[] {
  const { port, host, publicName, tlsCert, tlsKey, queuePolicy } = options
  const given: readonly (readonly [string, string | number | undefined])[] = [
    ['--port', port],
    ['--host', host],
    ...(publicName ?? []).map((name) => ['--public-name', name] as const),
    ['--tls-cert', tlsCert && resolve(tlsCert)],
    ['--tls-key', tlsKey && resolve(tlsKey)],
    ['--max-concurrent-runs', options.maxConcurrentRuns],
    ['--max-runs-per-workspace', options.maxRunsPerWorkspace],
    ['--queue-policy', queuePolicy],
  ]
  return given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]))
}

/** The daemon of the state folder; undefined: none is running. Rejects if it does not answer. */
async function running(program: Command, windowMs?: number): Promise<Client | undefined> {
  const folder = resolve(await readStateFolder(program))
  const known = ownToken(program)
  const { clientOf } = await import('../../client/node/find-daemon.ts')
  const { isHealthy } = await import('../../client/wait-for-health.ts')
  const client = clientOf(folder, known)
  if (client !== undefined && (await isHealthy(client))) return client
  const { answerOfHolder } = await import('../connection/silent-daemon.ts')
  return answerOfHolder({ folder, token: known, windowMs })
}

/** The address from the daemon file, since the system may have chosen the port. */
async function addressIn(folder: string): Promise<string> {
  const { readDaemonFile } = await import('../../client/node/find-daemon.ts')
  return readDaemonFile(folder)?.address ?? 'no address'
}

async function startIt(program: Command, options: StartOptions): Promise<void> {
  const { print } = openSession(program)
  const args = argumentsFrom(options)
  const there = await running(program)
  if (there !== undefined && args.length > 0) {
    const message = 'The daemon is already running; its options cannot be changed.'
    throw new LoopError('wrong-status', `${message} Stop it first: loopctl daemon stop`)
  }
  const folder = resolve(await readStateFolder(program))
  const { startDaemon } = await import('../../client/node/start-daemon.ts')
  const client = there ?? (await startDaemon({ folder, args, token: ownToken(program) })).client
  const info = await client.daemon()
  const address = await addressIn(folder)
  const word = there === undefined ? 'The daemon is running' : 'The daemon is already running'
  print({ started: there === undefined, address, ...info }, () =>
    visible(`${word}: ${address}, process ${info.pid}. Stop it: loopctl daemon stop`),
  )
}

/** A daemon whose files were removed writes them again within about a second. */
const lookWindowMs = 2000
const stopWindowMs = 60_000
const lookMs = 100

async function stop(program: Command, force: boolean): Promise<void> {
  const { holderOf } = await import('../connection/silent-daemon.ts')
  const holder = await holderOf(resolve(await readStateFolder(program)))
  if (force && holder !== undefined) return endSilent(program, holder, force)
  let client: Client | undefined
  try {
    client = await running(program, lookWindowMs)
  } catch (error) {
    if (holder === undefined || !isLoopError(error, 'not-available')) throw error
    return endSilent(program, holder, force)
  }
  const { print } = openSession(program)
  if (client === undefined) {
    print({ stopped: false, running: false }, () => 'The daemon is not running.')
    return
  }
  const { pid, counts } = await client.daemon()
  await client.stopDaemon()
  await untilEnded(pid)
  const left = counts.driven + counts.queued
  const later = left === 0 ? '' : ` ${plural(left, 'run')} will resume when it starts again.`
  print({ stopped: true, running: false, pid, runs: left }, () => `The daemon has stopped.${later}`)
}

/** With --json the output of the stop is suppressed, since it would be a second answer. */
async function restart(program: Command, options: StartOptions): Promise<void> {
  const client = await running(program, lookWindowMs)
  if (client !== undefined) {
    const { pid } = await client.daemon()
    await client.stopDaemon()
    await untilEnded(pid)
  }
  await startIt(program, options)
}

/** Stops it by a signal instead of a request. */
async function endSilent(program: Command, pid: number, force: boolean): Promise<void> {
  const { print, quiet } = openSession(program)
  if (!force && !quiet) {
    const advice = 'To kill it, without losing runs: loopctl daemon stop --force'
    process.stderr.write(`Process ${pid} does not answer; sending it a signal to stop. ${advice}\n`)
  }
  const { endHolder } = await import('../connection/silent-daemon.ts')
  const folder = resolve(await readStateFolder(program))
  await endHolder(pid, { folder, force, windowMs: stopWindowMs })
  const later = 'Its runs resume when it starts again.'
  print({ stopped: true, running: false, pid }, () => `The daemon has stopped. ${later}`)
}

async function untilEnded(pid: number): Promise<void> {
  const endMs = Date.now() + stopWindowMs
  while (isAlive(pid)) {
    if (Date.now() > endMs) {
      const { notEnded } = await import('../connection/silent-daemon.ts')
      throw notEnded(pid, stopWindowMs, false)
    }
    await new Promise((done) => void setTimeout(done, lookMs))
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function status(program: Command): Promise<void> {
  const { print } = openSession(program)
  const client = await running(program, lookWindowMs)
  if (client === undefined) {
    const folder = await readStateFolder(program)
    print({ running: false, folder }, () =>
      visible(`No daemon is running for ${folder}. Start it: loopctl daemon start`),
    )
    process.exitCode = errorTable['not-available'].exitCode
    return
  }
  const info = await client.daemon()
  const address = await addressIn(info.settings.folder)
  print({ running: true, address, ...info }, () => renderInfo(info, address, client))
}

function renderInfo(info: DaemonInfo, address: string, { where }: Client): string {
  const { settings, counts } = info
  const { maxConcurrentRuns, maxRunsPerWorkspace, queuePolicy } = settings
  return renderTable([
    ['daemon', `version ${info.version}, process ${info.pid}${info.isReady ? '' : ', not ready'}`],
    ['address', address],
    ['reached by', where],
    ['state folder', settings.folder],
    ['since', `${renderTime(info.startedAtMs)} (${renderSpan(info.uptimeMs)})`],
    ['queue', `${counts.driven} running, ${counts.queued} waiting, ${queuePolicy}`],
    [
      'limits',
      `${plural(maxConcurrentRuns, 'run')} at a time, ${maxRunsPerWorkspace} in one repository`,
    ],
    [
      'runs',
      Object.entries(counts.runs)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ') || 'none',
    ],
  ])
}

async function token(
  program: Command,
  { readOnly, rotate }: { readonly readOnly?: boolean; readonly rotate?: boolean },
): Promise<void> {
  const { print } = openSession(program)
  const folder = resolve(await readStateFolder(program))
  const { readToken, rotateToken, tokenPath } = await import('../../daemon/token-file.ts')
  const kind = readOnly === true ? 'read' : 'write'
  const made = rotate === true ? rotateToken(folder, kind) : readToken(tokenPath(folder, kind))
  print({ token: made, scope: kind }, () => made)
}

async function printUnit(
  program: Command,
  { print: isPrinted, ...options }: StartOptions & { readonly print?: boolean },
): Promise<void> {
  if (isPrinted !== true) {
    throw new LoopError(
      'bad-request',
      'loopctl does not install the unit itself. Print it, and follow the comments in it: loopctl daemon install --print',
    )
  }
  const { print } = openSession(program)
  const { systemdUnit } = await import('../../daemon/systemd-unit.ts')
  const unit = systemdUnit({
    node: process.execPath,
    program: fileURLToPath(new URL('../../daemon/loopd.js', import.meta.url)),
    state: resolve(await readStateFolder(program)),
    args: argumentsFrom(options),
    path: process.env['PATH'],
  })
  print({ unit }, () => unit.trimEnd())
}
