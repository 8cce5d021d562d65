/** A daemon in this process: the lock, the host, the scheduler, the ways in. `loopd` is one as a program. */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { finishRunFolder } from '../history/run-folder/finish-run-folder.ts'
import { followRun } from '../history/run-folder/follow-run.ts'
import type { Host } from '../host/host.ts'
import { type DaemonLock, lockDaemon } from '../host/lock-daemon.ts'
import { openHost } from '../host/open-host.ts'
import { defined } from '../loop/index.ts'
import type { DaemonPlace } from '../system/daemon-files.ts'
import { packageVersion } from '../system/package-version.ts'
import { removeDaemonFile, removePid, writeDaemonFile, writePid } from './daemon-file.ts'
import { createEnding, type Ending, type StopOptions } from './ending.ts'
import { createFront, type Front } from './front.ts'
import { type Doors, openDoors } from './listen.ts'
import { type DaemonLog, type LogLevel, openLog } from './log.ts'
import { hostsOf, originsOf, requireSafe } from './names.ts'
import type { DaemonSettings, Scheduler } from './parts.ts'
import { createRoutes } from './routes/index.ts'
import { createCallerEnvironments, openScheduler } from './schedule/index.ts'
import { openTokens, type Tokens } from './tokens.ts'

export interface Daemon {
  readonly address: string
  readonly socket: string
  readonly host: Host
  readonly scheduler: Scheduler
  readonly log: DaemonLog
  /** Lets work under way finish its step, then ends everything. Said again at once: without waiting. */
  stop(options?: StopOptions): Promise<void>
  /** Resolves when it has ended, by whomever. */
  readonly ended: Promise<void>
}

export interface DaemonOptions {
  /** Of the same folder; taken here unless given. */
  readonly lock?: DaemonLock
  /** In the place of the token file. */
  readonly token?: string
  readonly logLevel?: LogLevel
  /** Told when the folder of the record is not where it was: it ends at once. */
  readonly onLost?: (message: string) => void
  /** Told of every line of the log. */
  readonly echo?: (line: string) => void
  /** The loop types that loop files can name; default: the built-in ones. */
  readonly loopTypes?: Host['loopTypes']
}

/** How often it is looked for tokens that were replaced, for those who are being answered. */
const lookMs = 250
const mendMs = 1000

export async function createDaemon(
  settings: DaemonSettings,
  options: DaemonOptions = {},
): Promise<Daemon> {
  const ending = createEnding()
  try {
    return await openDaemon(settings, options, ending)
  } catch (error) {
    await ending.stop({ atOnce: true })
    throw error
  }
}

/** Whatever is opened says at once how it is closed: last in, first out. */
async function openDaemon(
  asked: DaemonSettings,
  options: DaemonOptions,
  ending: Ending,
): Promise<Daemon> {
  const { place, release } = options.lock ?? lockDaemon(asked.folder)
  ending.atEnd(release)
  requireSafe(asked)
  const settings = { ...asked, folder: realpathSync(asked.folder) }
  ending.atEnd(() => removePid(place))
  writePid(place)
  const startedAtMs = Date.now()
  const log = openDaemonLog(place, options)
  ending.atEnd(() => log.close())
  ending.atEnd(() => log.info({}, 'ended'))
  const tokens = openTokens({ state: settings.folder, given: options.token }, log)
  const environments = createCallerEnvironments()
  log.hide(() => [...tokens.secrets(), ...environments.secrets()])
  const { loopTypes } = options
  const host = await openHost({ folder: settings.folder, ...defined({ loopTypes }) })
  ending.atEnd(() => host.close())
  const scheduler = await openScheduler({
    host,
    settings,
    log,
    secrets: tokens.secrets,
    environments,
    follow: (run) => followRun(host, run, { onProblem: (problem) => log.warn({ run }, problem) }),
    finish: (run) => finishRunFolder(host, run),
  })
  const { closing, isEnding, stop } = ending
  let bound: DaemonSettings = settings
  const front = createFront(
    createRoutes({
      host,
      scheduler,
      log,
      get settings() {
        return bound
      },
      startedAtMs,
      closing,
      isReady: () => !isEnding(),
      stop: () => void stop(),
    }),
    log,
  )
  const doors = await openGuarded({ settings, front, tokens, log, place, isEnding })
  bound = { ...settings, port: doors.port }
  const isThere = watchPlace(place)
  const looking = setInterval(() => {
    front.dropDead(tokens)
    if (isThere() || isEnding()) return
    const message = `The record is not in ${settings.folder} any more: it was moved, replaced or removed. Put it back, then: loopctl daemon start`
    log.error({}, message)
    options.onLost?.(message)
    void stop({ atOnce: true })
  }, lookMs).unref()
  ending.atEnd(() => clearInterval(looking))
  ending.atEnd((hurry) => doors.close(hurry))
  const { address, socket } = doors
  ending.atEnd(() => removeDaemonFile(place))
  ending.atEnd(keepReachable(place, doors, startedAtMs, log))
  ending.beforeEnd((hurry) => scheduler.drain(hurry))
  ending.atEnd(() => log.info({}, 'ending'))
  log.info({ address, socket }, 'listening')
  return { address, socket, host, scheduler, log, stop, ended: ending.ended }
}

/** Where it is said how it is reached, and put back when somebody removes it; until the answer is called. */
function keepReachable(
  place: DaemonPlace,
  doors: Doors,
  startedAtMs: number,
  log: DaemonLog,
): () => Promise<void> {
  const { pid } = process
  const write = (): void => {
    const { address, socket } = doors
    writeDaemonFile(place, { pid, address, socket, startedAtMs, version: packageVersion() })
  }
  const mend = async (): Promise<void> => {
    const isMended = await doors.mend()
    if (!existsSync(place.pid)) writePid(place)
    if (!isMended && existsSync(place.file)) return
    write()
    log.warn({}, 'somebody removed the files by which it is reached: they are there again')
  }
  write()
  let mending = Promise.resolve()
  const timer = setInterval(() => {
    // A folder that cannot be written to now is tried again.
    mending = mending.then(mend).catch(() => undefined)
  }, mendMs).unref()
  return () => {
    clearInterval(timer)
    return mending
  }
}

/** Whether the lock is where it was taken. Whatever is made elsewhere would be no part of the record. */
function watchPlace({ lock }: DaemonPlace): () => boolean {
  const inode = (): number | undefined => statSync(lock, { throwIfNoEntry: false })?.ino
  const held = inode()
  return () => inode() === held
}

const openDaemonLog = (place: DaemonPlace, { logLevel, echo }: DaemonOptions): DaemonLog =>
  openLog({
    path: place.log,
    level: logLevel ?? 'info',
    ...defined({ echo }),
  })

interface Guarded {
  readonly settings: DaemonSettings
  readonly front: Front
  readonly tokens: Tokens
  readonly log: DaemonLog
  readonly place: DaemonPlace
  isEnding(): boolean
}

/** The names that it answers to are known when the port is; until then it answers to none. */
async function openGuarded(guarded: Guarded): Promise<Doors> {
  const { settings, front, tokens, log, place, isEnding } = guarded
  let hosts: ReadonlySet<string> = new Set()
  let origins: ReadonlySet<string> = new Set()
  const doors = await openDoors({
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
  hosts = hostsOf(settings, doors.port)
  origins = originsOf(settings, hosts)
  return doors
}
