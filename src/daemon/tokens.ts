/**
 * Who may do what, by the token that is sent. The files are looked at again with every request: a token
 * that was replaced is dead at once.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { LoopError } from '../loop/index.ts'
import type { Passed } from './guard.ts'
import type { Log, Scope } from './parts.ts'
import { isToken, makeToken, readToken, tokenCharsMin, tokenPath } from './token-file.ts'

export interface Tokens {
  /** By the header `Authorization`. Takes as long for a wrong token as for a right one. */
  match(authorization: string | undefined): Passed | undefined
  /** Those that pass now. */
  alive(): ReadonlySet<string>
  /** What may never be written down: also those that were replaced. */
  readonly secrets: () => readonly string[]
}

export interface TokensOptions {
  /** The state folder. */
  readonly state: string
  /** `LOOPD_AUTH_TOKEN`: in the place of the file. */
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
      // All are compared, whatever was found.
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

/** Read again when it is another file, or was written to. */
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
      log.error({ path, error }, 'no token is taken')
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
