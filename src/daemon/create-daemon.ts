/** A daemon in this process: lock, host, scheduler and listeners. `loopd` is the program around it. */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { finishRunFolder } from '../history/run-folder/finish-run-folder.ts'
import { followRun } from '../history/run-folder/follow-run.ts'
import type { Host } from '../host/host.ts'
import { type DaemonLock, lockDaemon } from '../host/lock-daemon.ts'
import { openHost } from '../host/open-host.ts'
import { createReadLoops } from '../launch/read-loops.ts'
import { defined } from '../loop/index.ts'
import type { DaemonFiles } from '../system/daemon-files.ts'
import { readPackageVersion } from '../system/package-version.ts'
import { removeDaemonFile, removePid, writeDaemonFile, writePid } from './daemon-file.ts'
import { openDashboard } from './dashboard/open-dashboard.ts'
import { openPageFiles } from './dashboard/page-files.ts'
import { type GuardedRoutes, guardRoutes } from './guard-routes.ts'
import { deliverLeftovers } from './leftover-deliveries.ts'
import { type Listeners, openListeners } from './listen.ts'
import { type DaemonLog, type LogLevel, openLog } from './log.ts'
import { browserAddress, hostsOf, originsOf, requireSafe } from './names.ts'
import type { DaemonSettings, Scheduler } from './parts.ts'
import { createCallerEnvironments, openScheduler } from './queue/index.ts'
import type { SchedulerOptions } from './queue/open-scheduler.ts'
import { createRoutes } from './routes/index.ts'
import { openSchedules } from './schedules/open-schedules.ts'
import { createShutdown, type Shutdown, type StopOptions } from './shutdown.ts'
import { openTokens, type Tokens } from './tokens.ts'
import { watchLevels } from './watch-levels.ts'

export interface Daemon {
  readonly address: string
  readonly socket: string
  readonly host: Host
  readonly scheduler: Scheduler
  readonly log: DaemonLog
  /** Lets runs finish their current step, then shuts down. A second call does not wait. */
  stop(options?: StopOptions): Promise<void>
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>
}

export interface DaemonOptions {
  /** The lock of the same folder; default: taken here. */
  readonly lock?: DaemonLock
  /** Overrides the token file. */
  readonly token?: string
  readonly logLevel?: LogLevel
  /** Called when the state folder was moved or removed; the daemon then ends at once. */
  readonly onLost?: (message: string) => void
  /** Called with every log line. */
  readonly echo?: (line: string) => void
  /** The loop types that loop files can name; default: the built-in ones. */
  readonly loopTypes?: Host['loopTypes']
}

/** How often open connections are checked for revoked tokens. */
const pollMs = 250
const repairMs = 1000

export async function createDaemon(
  settings: DaemonSettings,
  options: DaemonOptions = {},
): Promise<Daemon> {
  const shutdown = createShutdown()
  try {
    return await openDaemon(settings, options, shutdown)
  } catch (error) {
    await shutdown.stop({ atOnce: true })
    throw error
  }
}

/** Everything that is opened registers how to close it: last in, first out. */
async function openDaemon(
  asked: DaemonSettings,
  options: DaemonOptions,
  shutdown: Shutdown,
): Promise<Daemon> {
  const { place, release } = options.lock ?? lockDaemon(asked.folder)
  shutdown.atEnd(release)
  requireSafe(asked)
  const settings = { ...asked, folder: realpathSync(asked.folder) }
  shutdown.atEnd(() => removePid(place))
  writePid(place)
  const startedAtMs = Date.now()
  const log = openDaemonLog(place, options)
  shutdown.atEnd(() => log.close())
  shutdown.atEnd(() => log.info({}, 'ended'))
  const tokens = openTokens({ state: settings.folder, given: options.token }, log)
  const environments = createCallerEnvironments()
  log.hide(() => [...tokens.secrets(), ...environments.secrets()])
  const { loopTypes } = options
  const host = await openHost({ folder: settings.folder, ...defined({ loopTypes }) })
  shutdown.atEnd(() => host.close())
  const reads = createReadLoops()
  const queueing = { host, reads, settings, log, environments, secrets: tokens.secrets }
  const scheduler = await openQueue(queueing)
  const schedules = await openSchedules({ host, scheduler, reads, log })
  shutdown.atEnd(() => schedules.close())
  for (const problem of await host.journal.damagedRows()) log.error({ problem }, 'damaged row')
  shutdown.atEnd(watchLevels(host, log))
  shutdown.atEnd(deliverLeftovers(host, log))
  const { closing, isEnding, stop } = shutdown
  let bound: DaemonSettings = settings
  const dashboard = openDashboard({ tokens, address: () => browserAddress(bound) })
  const routes = createRoutes({
    host,
    scheduler,
    schedules,
    reads,
    log,
    get settings() {
      return bound
    },
    startedAtMs,
    dashboard,
    closing,
    isReady: () => !isEnding(),
    stop: () => void stop(),
  })
  const front = guardRoutes({ routes, log, dashboard, files: openPageFiles() })
  const listeners = await openGuarded({ settings, front, tokens, log, place, isEnding })
  bound = { ...settings, port: listeners.port }
  const isThere = watchLockFile(place)
  const polling = setInterval(() => {
    front.closeRevokedConnections(tokens)
    if (isThere() || isEnding()) return
    reportLostFolder(settings.folder, log, options)
    void stop({ atOnce: true })
  }, pollMs).unref()
  shutdown.atEnd(() => clearInterval(polling))
  shutdown.atEnd((hurry) => listeners.close(hurry))
  const { address, socket } = listeners
  shutdown.atEnd(() => removeDaemonFile(place))
  shutdown.atEnd(keepReachable(place, listeners, startedAtMs, log))
  shutdown.beforeEnd(async (hurry) => {
    await schedules.close()
    await scheduler.drain(hurry)
  })
  shutdown.atEnd(() => log.info({}, 'ending'))
  log.info({ address, socket }, 'listening')
  return { address, socket, host, scheduler, log, stop, ended: shutdown.ended }
}

const openQueue = (options: SchedulerOptions): Promise<Scheduler> => {
  const { host, log } = options
  return openScheduler({
    ...options,
    follow: (run) => followRun(host, run, { onProblem: (problem) => log.warn({ run }, problem) }),
    finish: (run) => finishRunFolder(host, run),
  })
}

function reportLostFolder(folder: string, log: DaemonLog, { onLost }: DaemonOptions): void {
  const message = `The state folder ${folder} was moved, replaced or removed. Restore it, then: loopctl daemon start`
  log.error({}, message)
  onLost?.(message)
}

/** Writes the files that clients find the daemon by, and again if they are removed, until the returned function is called. */
function keepReachable(
  place: DaemonFiles,
  listeners: Listeners,
  startedAtMs: number,
  log: DaemonLog,
): () => Promise<void> {
  const { pid } = process
  const write = (): void => {
    const { address, socket } = listeners
    writeDaemonFile(place, { pid, address, socket, startedAtMs, version: readPackageVersion() })
  }
  const repair = async (): Promise<void> => {
    const isRepaired = await listeners.repair()
    if (!existsSync(place.pid)) writePid(place)
    if (!isRepaired && existsSync(place.file)) return
    write()
    log.warn({}, 'the daemon files were removed; wrote them again')
  }
  write()
  let repairing = Promise.resolve()
  const timer = setInterval(() => {
    // If the folder cannot be written now, the next check tries again.
    repairing = repairing.then(repair).catch(() => undefined)
  }, repairMs).unref()
  return () => {
    clearInterval(timer)
    return repairing
  }
}

/** Whether the lock file is still the one that was locked; otherwise writes would go to another folder. */
function watchLockFile({ lock }: DaemonFiles): () => boolean {
  const inode = (): number | undefined => statSync(lock, { throwIfNoEntry: false })?.ino
  const held = inode()
  return () => inode() === held
}

const openDaemonLog = (place: DaemonFiles, { logLevel, echo }: DaemonOptions): DaemonLog =>
  openLog({
    path: place.log,
    level: logLevel ?? 'info',
    ...defined({ echo }),
  })

interface Guarded {
  readonly settings: DaemonSettings
  readonly front: GuardedRoutes
  readonly tokens: Tokens
  readonly log: DaemonLog
  readonly place: DaemonFiles
  isEnding(): boolean
}

/** Host names are known once the port is; until then every Host is refused. */
async function openGuarded(guarded: Guarded): Promise<Listeners> {
  const { settings, front, tokens, log, place, isEnding } = guarded
  let hosts: ReadonlySet<string> = new Set()
  let origins: ReadonlySet<string> = new Set()
  const listeners = await openListeners({
    settings,
    place,
    log,
    serve: (server, via) =>
      front.serve(server, () => ({
        tokens,
        hosts: via === 'socket' ? undefined : hosts,
        origins,
        isEnding,
      })),
  })
  hosts = hostsOf(settings, listeners.port)
  origins = originsOf(settings, hosts)
  return listeners
}
