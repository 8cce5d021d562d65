/** Commands about the daemon of the record: start, stop, status, logs, token, install. */

import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Command, Option } from 'commander'
import type { Client, DaemonInfo } from '../../client/index.ts'
import { errorTable, isLoopError, LoopError } from '../../loop/index.ts'
import { ownToken } from '../connection/reach.ts'
import { plural, renderSpan } from '../display/amounts.ts'
import { renderTable, renderTime, visible } from '../display/render.ts'
import { openSession, stateFolderOf, wholeNumber } from '../session.ts'

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
    .description('the daemon, which drives runs in the background: start, stop, status, logs')
    .action(() => status(program))
  const start = daemon.command('start').description('start it, if none runs')
  addSettings(start).action((options: StartOptions) => startIt(program, options))
  daemon
    .command('stop')
    .description('end it in good order; its runs go on when it is started again')
    .option('--force', 'kill it, where it does not end; nothing is lost')
    .action((options: { force?: boolean }) => stop(program, options.force === true))
  const again = daemon.command('restart').description('stop and start it; its runs continue')
  addSettings(again).action((options: StartOptions) => restart(program, options))
  daemon
    .command('status')
    .description('whether it runs, where, and how much there is to do')
    .action(() => status(program))
  daemon
    .command('logs')
    .description('its log')
    .option('-f, --follow', 'wait for more')
    .option('-n, --lines <n>', 'so many of the last lines', wholeNumber, 100)
    .action(async (options: { follow?: boolean; lines: number }) => {
      const { showLog } = await import('../connection/daemon-log.ts')
      await showLog(openSession(program), await stateFolderOf(program), options)
    })
  daemon
    .command('token')
    .description('the token that its clients need')
    .option('--read-only', 'the one that may only look')
    .option('--rotate', 'make a new one; the old one is refused from then on')
    .action((options: { readOnly?: boolean; rotate?: boolean }) => token(program, options))
  const install = daemon
    .command('install')
    .description('have it started with the machine: a unit for systemd')
    .option('--print', 'print the unit')
  addSettings(install).action((options: StartOptions & { print?: boolean }) =>
    printUnit(program, options),
  )
}

/** As loopd has them. */
const addSettings = (command: Command): Command =>
  command
    .option('--port <number>', 'where it listens; 0: any that is free (default: 7700)', wholeNumber)
    .option('--host <address>', 'others than this machine need TLS (default: 127.0.0.1)')
    .option('--public-name <name...>', 'other names that it is asked by, with TLS')
    .option('--tls-cert <file>', 'its certificate, in PEM')
    .option('--tls-key <file>', 'the key of the certificate, in PEM')
    .option('--max-concurrent-runs <n>', 'how many runs work at once (default: 3)', wholeNumber)
    .option('--max-runs-per-workspace <n>', 'how many of them in one repository', wholeNumber)
    .addOption(
      new Option('--queue-policy <policy>', 'who goes first (default: fifo)').choices([
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

/** The daemon of the record; undefined where there is none. Rejected where it does not answer. */
async function running(program: Command, windowMs?: number): Promise<Client | undefined> {
  const folder = resolve(await stateFolderOf(program))
  const known = ownToken(program)
  const { clientOf } = await import('../../client/find-daemon.ts')
  const { isHealthy } = await import('../../client/wait-for-health.ts')
  const client = clientOf(folder, known)
  if (client !== undefined && (await isHealthy(client))) return client
  const { answerOfHolder } = await import('../connection/silent-daemon.ts')
  return answerOfHolder({ folder, token: known, windowMs })
}

/** Where it listens, as it wrote it down: the port may be one that was free. */
async function addressIn(folder: string): Promise<string> {
  const { readDaemonFile } = await import('../../client/find-daemon.ts')
  return readDaemonFile(folder)?.address ?? 'no address'
}

async function startIt(program: Command, options: StartOptions): Promise<void> {
  const { print } = openSession(program)
  const args = argumentsFrom(options)
  const there = await running(program)
  if (there !== undefined && args.length > 0) {
    const message = 'A daemon runs here already, as it was started.'
    throw new LoopError('wrong-status', `${message} Stop it first: loopctl daemon stop`)
  }
  const folder = resolve(await stateFolderOf(program))
  const { startDaemon } = await import('../../client/start-daemon.ts')
  const client = there ?? (await startDaemon({ folder, args, token: ownToken(program) })).client
  const info = await client.daemon()
  const address = await addressIn(folder)
  const word = there === undefined ? 'The daemon runs' : 'The daemon runs already'
  print({ started: there === undefined, address, ...info }, () =>
    visible(`${word}: ${address}, process ${info.pid}. To stop it: loopctl daemon stop`),
  )
}

/** One whose files were removed puts them back within a second or so. */
const lookWindowMs = 2000
const stopWindowMs = 60_000
const lookMs = 100

async function stop(program: Command, force: boolean): Promise<void> {
  const { holderOf } = await import('../connection/silent-daemon.ts')
  const holder = await holderOf(resolve(await stateFolderOf(program)))
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
    print({ stopped: false, running: false }, () => 'No daemon runs here.')
    return
  }
  const { pid, counts } = await client.daemon()
  await client.stopDaemon()
  await untilEnded(pid)
  const left = counts.driven + counts.queued
  const later = left === 0 ? '' : ` ${plural(left, 'run')} will go on when it is started again.`
  print({ stopped: true, running: false, pid, runs: left }, () => `The daemon has ended.${later}`)
}

/** What it said when it was stopped would be a second answer with --json. */
async function restart(program: Command, options: StartOptions): Promise<void> {
  const client = await running(program, lookWindowMs)
  if (client !== undefined) {
    const { pid } = await client.daemon()
    await client.stopDaemon()
    await untilEnded(pid)
  }
  await startIt(program, options)
}

/** It is not asked, but sent a signal. */
async function endSilent(program: Command, pid: number, force: boolean): Promise<void> {
  const { print, quiet } = openSession(program)
  if (!force && !quiet) {
    const advice = 'at once, without loss: loopctl daemon stop --force'
    process.stderr.write(`Process ${pid} does not answer. It is told to end (${advice}).\n`)
  }
  const { endHolder } = await import('../connection/silent-daemon.ts')
  const folder = resolve(await stateFolderOf(program))
  await endHolder(pid, { folder, force, windowMs: stopWindowMs })
  const later = 'Its runs go on when it is started again.'
  print({ stopped: true, running: false, pid }, () => `The daemon has ended. ${later}`)
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
    const folder = await stateFolderOf(program)
    print({ running: false, folder }, () =>
      visible(`No daemon runs for ${folder}. Start it with: loopctl daemon start`),
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
    ['record', settings.folder],
    ['since', `${renderTime(info.startedAtMs)} (${renderSpan(info.uptimeMs)})`],
    ['queue', `${counts.driven} running, ${counts.queued} waiting, ${queuePolicy}`],
    ['at once', `${maxConcurrentRuns} runs, ${maxRunsPerWorkspace} in one repository`],
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
  const folder = resolve(await stateFolderOf(program))
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
      'Nothing is installed by loopctl itself. Print the unit, and put it where it says: loopctl daemon install --print',
    )
  }
  const { print } = openSession(program)
  const { systemdUnit } = await import('../../daemon/systemd-unit.ts')
  const unit = systemdUnit({
    node: process.execPath,
    program: fileURLToPath(new URL('../../daemon/loopd.js', import.meta.url)),
    state: resolve(await stateFolderOf(program)),
    args: argumentsFrom(options),
    path: process.env['PATH'],
  })
  print({ unit }, () => unit.trimEnd())
}
