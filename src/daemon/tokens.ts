/**
 * Authorizes requests by their token. The token files are checked on every request, so a replaced token stops
 * working at once.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { LoopError } from '../loop/index.ts'
import type { Passed } from './guard.ts'
import type { Log, Scope } from './parts.ts'
import { isToken, makeToken, readToken, tokenCharsMin, tokenPath } from './token-file.ts'

export interface Tokens {
  /** By the header `Authorization`, in constant time. */
  match(authorization: string | undefined): Passed | undefined
  /** The tokens that are valid now. */
  alive(): ReadonlySet<string>
  /** Values that must never be logged, including replaced tokens. */
  readonly secrets: () => readonly string[]
}

export interface TokensOptions {
  /** The state folder. */
  readonly state: string
  /** `LOOPD_AUTH_TOKEN`, which overrides the file. */
  readonly given?: string | undefined
}

export function openTokens({ state, given }: TokensOptions, log: Log): Tokens {
  if (given !== undefined && !isToken(given)) {
    throw new LoopError(
      'bad-request',
      `LOOPD_AUTH_TOKEN must have ${tokenCharsMin} or more characters of A-Z a-z 0-9 . _ ~ + / - . ` +
        'Make one with: openssl rand -hex 32',
    )
  }
  const known = new Set<string>()
  const toEntry = (token: string, scope: Scope): Entry => {
    known.add(token)
    return { token, digest: digestOf(token), scope }
  }
  const kept = [
    given === undefined
      ? keepFile(tokenPath(state, 'write'), (token) => toEntry(token, 'write'), log)
      : fixed(toEntry(given, 'write')),
    keepFile(tokenPath(state, 'read'), (token) => toEntry(token, 'read'), log),
  ]
  const current = (): readonly Entry[] => kept.flatMap((one) => one() ?? [])
  return {
    match(authorization) {
      const sent = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? ''
      const digest = digestOf(sent)
      let found: Entry | undefined
      // Compares with all tokens, so that the time does not depend on the result.
      for (const entry of current()) if (timingSafeEqual(entry.digest, digest)) found = entry
      return found === undefined ? undefined : { scope: found.scope, token: found.token }
    },
    alive: () => new Set(current().map(({ token }) => token)),
    secrets: () => [...known],
  }
}

interface Entry {
  readonly token: string
  readonly digest: Buffer
  readonly scope: Scope
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const fixed = (entry: Entry) => (): Entry => entry

/** Reads the file again if it was replaced or changed. */
function keepFile(
  path: string,
  toEntry: (token: string) => Entry,
  log: Log,
): () => Entry | undefined {
  let entry: Entry | undefined = toEntry(makeToken(path))
  let seen = lookAt(path)
  return () => {
    const now = lookAt(path)
    if (now === seen) return entry
    seen = now
    try {
      entry = toEntry(readToken(path))
      log.info({ path }, 'the token was replaced')
    } catch (error) {
      entry = undefined
      log.error({ path, error }, 'cannot read the token file')
    }
    return entry
  }
}

function lookAt(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  if (found === undefined) return ''
  return [
    found.dev,
    found.ino,
    found.mode,
    found.uid,
    found.size,
    found.mtimeNs,
    found.ctimeNs,
  ].join()
}
