/**
 * The only way to model APIs. Agents never hold a key: each step gets a separate address that
 * speaks the providers' wire formats, and every request there is reserved, metered and recorded.
 */

import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, systemClock } from '../engine/index.ts'
import { LoopError } from '../loop/index.ts'
import { makeTemporaryFolder } from '../system/index.ts'
import { defaultGatewayLimits, type GatewayLimits } from './limits.ts'
import { type FindPrice, openPrices } from './pricing/price.ts'
import { localProviders, type ProviderTable, publicProviders, readProviders } from './provider.ts'
import { createRateWindows } from './rate-windows.ts'
import { createHeldBytes } from './read-body.ts'
import { openSession, type Session } from './session.ts'
import type { GatewayParts, SessionOptions } from './session-types.ts'
import { openUpstream } from './upstream.ts'

/** Options of `openGateway`. */
export interface GatewayOptions {
  /** The key of a provider, looked up for each request; undefined if it needs none. */
  readonly keys: (provider: string) => string | undefined
  /** Overrides the public addresses of Anthropic, OpenAI and Google, and those of local servers. */
  readonly providers?: ProviderTable
  readonly clock?: Clock
  readonly limits?: Partial<GatewayLimits>
  /**
   * For sockets; keep it short, since socket paths are limited. Default: a new folder in the
   * runtime folder.
   */
  readonly folder?: string
}

/** Which keys to use, and the provider addresses. */
export type GatewayAccess = Pick<GatewayOptions, 'keys' | 'providers'>

/** Opens sessions, each for one step. Made by `openGateway`. */
export interface Gateway {
  session(options: SessionOptions): Promise<Session>
  /** The same gateway with other keys and addresses. Closing it has no effect. */
  withAccess(access: GatewayAccess): Gateway
  /** Closes the remaining sessions. */
  close(): Promise<void>
}

/** The kernel's limit for a socket path, without the terminating null byte. */
const socketPathBytesMax = 107

/** Opens a gateway to model providers. Agents never see its keys. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { clock = systemClock } = options
  const folder = await openFolder(options.folder)
  const upstream = openUpstream()
  let prices: Promise<FindPrice> | undefined
  const limits = { ...defaultGatewayLimits, ...options.limits }
  const shared: GatewayParts = {
    clock,
    limits,
    held: createHeldBytes(limits.heldBytesMax),
    ...readAccess(options),
    upstream,
    windows: createRateWindows(),
    prices: () => (prices ??= openPrices()),
  }
  const sessions = new Set<Session>()
  const withParts = (parts: GatewayParts): Pick<Gateway, 'session'> => ({
    async session(sessionOptions) {
      // Loads while the agent starts. A failure is reported when a price is needed.
      if (sessionOptions.replay === undefined) parts.prices().catch(() => undefined)
      const sessionFolder = join(folder.path, randomBytes(6).toString('hex'))
      await mkdir(sessionFolder, { mode: 0o700, recursive: true })
      const remove = (): Promise<void> => rm(sessionFolder, { recursive: true, force: true })
      const opened = await openSession(
        parts,
        sessionOptions,
        join(sessionFolder, 'model.sock'),
      ).catch(async (error: unknown) => {
        await remove()
        throw error
      })
      await chmod(opened.socketPath, 0o600)
      const session: Session = {
        ...opened,
        async close() {
          sessions.delete(session)
          const totals = await opened.close()
          await remove()
          return totals
        },
      }
      sessions.add(session)
      return session
    },
  })
  const withAccess = (access: GatewayAccess): Gateway => ({
    ...withParts({ ...shared, ...readAccess(access) }),
    withAccess,
    close: async () => undefined,
  })
  return {
    ...withParts(shared),
    withAccess,
    async close() {
      await Promise.all([...sessions].map((session) => session.close()))
      upstream.close()
      await folder.remove()
    },
  }
}

const readAccess = ({
  keys,
  providers,
}: GatewayAccess): Pick<GatewayParts, 'keys' | 'providers'> => ({
  keys,
  providers: readProviders({ ...publicProviders, ...localProviders, ...providers }),
})

async function openFolder(
  configured: string | undefined,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path =
    configured ?? (await makeTemporaryFolder('loopwright-', process.env['XDG_RUNTIME_DIR']))
  if (configured !== undefined) await mkdir(path, { recursive: true, mode: 0o700 })
  const bytes = Buffer.byteLength(join(path, '0123456789ab', 'model.sock'))
  if (bytes > socketPathBytesMax) {
    const message = `The folder "${path}" is ${bytes - socketPathBytesMax} bytes too long for a socket path. Use a shorter one.`
    throw new LoopError('not-configured', message)
  }
  return {
    path,
    async remove() {
      if (configured === undefined) await rm(path, { recursive: true, force: true })
    },
  }
}
