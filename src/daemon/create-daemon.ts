/** A daemon in this process: the lock, the host, the scheduler, the ways in. `loopd` is one as a program. */

import { realpathSync } from 'node:fs'
import { type DaemonLock, type Host, lockDaemon, openHost, packageVersion } from '../host/index.ts'
import { removeDaemonFiles, writeDaemonFile, writePid } from './daemon-file.ts'
import { createFront, type Front } from './front.ts'
import type { GuardOptions } from './guard.ts'
import { type Doors, openDoors, type Via } from './listen.ts'
import { type DaemonLog, type LogLevel, openLog } from './log.ts'
import { hostsOf, originsOf } from './names.ts'
import type { DaemonParts, DaemonSettings, Scheduler } from './parts.ts'
import { createRoutes } from './routes/index.ts'
import { openScheduler } from './schedule/index.ts'
import { openTokens, type Tokens } from './tokens.ts'

export interface Daemon {
  readonly address: string
  readonly socket: string
  readonly host: Host
  readonly scheduler: Scheduler
  readonly log: DaemonLog
  /** Lets work under way finish its step, then ends everything. Once more: without waiting. */
  stop(options?: StopOptions): Promise<void>
  /** Resolves when it has ended, by whomever. */
  readonly ended: Promise<void>
}

export interface StopOptions {
  /** Nothing is waited for: what is under way is taken up again by the next daemon. */
  readonly atOnce?: boolean
}

export interface DaemonOptions {
  /** In the place of the token file. */
  readonly token?: string
  readonly logLevel?: LogLevel
  readonly echo?: (line: string) => void
}

/** How long requests under way may take at the end, and how often tokens are looked at. */
const closeGraceMs = 2000
const lookMs = 250

export async function createDaemon(
  settings: DaemonSettings,
  options: DaemonOptions = {},
): Promise<Daemon> {
  const lock = lockDaemon(settings.folder)
  try {
    return await openDaemon({ ...settings, folder: realpathSync(settings.folder) }, options, lock)
  } catch (error) {
    removeDaemonFiles(lock.place)
    lock.release()
    throw error
  }
}

async function openDaemon(
  settings: DaemonSettings,
  options: DaemonOptions,
  lock: DaemonLock,
): Promise<Daemon> {
  const { place } = lock
  writePid(place)
  const { logLevel = 'info', echo, token } = options
  const log = openLog({ path: place.log, level: logLevel, ...(echo === undefined ? {} : { echo }) })
  const tokens = openTokens(
    { state: settings.folder, ...(token === undefined ? {} : { given: token }) },
    log,
  )
  log.hide(() => tokens.secrets())
  const startedAtMs = Date.now()
  const host = await openHost({ folder: settings.folder })
  const scheduler = await openScheduler(host, settings, log)
  const closing = new AbortController()
  let isEnding = false
  let stop: Daemon['stop'] = async () => undefined
  const parts: DaemonParts = {
    host,
    scheduler,
    log,
    settings,
    startedAtMs,
    closing: closing.signal,
    isReady: () => !isEnding,
    stop: () => void stop(),
  }
  const front = createFront(createRoutes(parts))
  const doors = await openGuarded({ settings, front, tokens, log, lock, isEnding: () => isEnding })
  writeDaemonFile(place, {
    pid: process.pid,
    address: doors.address,
    socket: doors.socket,
    startedAtMs,
    version: packageVersion(),
  })
  const looking = setInterval(() => front.dropDead(tokens), lookMs).unref()
  const end = createEvent()
  const hurry = createEvent()
  const shutDown = async (): Promise<void> => {
    log.info({}, 'ending')
    await Promise.race([scheduler.drain(), hurry.promise])
    closing.abort()
    await Promise.race([doors.close(closeGraceMs), hurry.promise])
    await host.close()
    clearInterval(looking)
    removeDaemonFiles(place)
    log.info({}, 'ended')
    log.close()
    lock.release()
    end.resolve()
  }
  stop = ({ atOnce } = {}) => {
    if (atOnce === true) hurry.resolve()
    if (!isEnding) {
      isEnding = true
      shutDown().catch(end.reject)
    }
    return end.promise
  }
  log.info({ address: doors.address, socket: doors.socket }, 'listening')
  return {
    address: doors.address,
    socket: doors.socket,
    host,
    scheduler,
    log,
    stop: (how) => stop(how),
    ended: end.promise,
  }
}

interface Event {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function createEvent(): Event {
  let resolve: Event['resolve'] = () => undefined
  let reject: Event['reject'] = () => undefined
  const promise = new Promise<void>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  return { promise, resolve, reject }
}

interface Guarded {
  readonly settings: DaemonSettings
  readonly front: Front
  readonly tokens: Tokens
  readonly log: DaemonLog
  readonly lock: DaemonLock
  isEnding(): boolean
}

/** The names that it answers to are known when the port is. */
async function openGuarded(guarded: Guarded): Promise<Doors> {
  const { settings, front, tokens, log, lock, isEnding } = guarded
  let names: Pick<GuardOptions, 'origins'> & { readonly hosts: ReadonlySet<string> } = {
    hosts: new Set(),
    origins: new Set(),
  }
  const options = (via: Via): GuardOptions => ({
    tokens,
    hosts: via === 'socket' ? undefined : names.hosts,
    origins: names.origins,
    isEnding,
  })
  const doors = await openDoors(
    settings,
    lock.place,
    (server, via) => front.serve(server, () => options(via)),
    log,
  )
  const hosts = hostsOf(settings, doors.port)
  names = { hosts, origins: originsOf(settings, hosts) }
  return doors
}
