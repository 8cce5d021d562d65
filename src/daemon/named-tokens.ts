/**
 * Tokens of people, by name: who decides is then known. Only digests are stored, so the file gives no access; a token is
 * 32 random bytes, which need no slower hash.
 *
 * The file has the same rules as the other token files (T1, T2).
 */

import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { LoopError } from '../loop/index.ts'
import { getDaemonFiles, toStateFolderError } from '../system/daemon-files.ts'
import { withLock } from '../system/file-lock.ts'
import { localUser } from '../system/local-user.ts'
import type { Scope } from './parts.ts'
import { readPrivateFile } from './token-file.ts'

export interface NamedToken {
  readonly name: string
  readonly scope: Scope
  /** SHA-256, in hexadecimal. */
  readonly digest: string
  readonly addedAtMs: number
}

const tokensMax = 200
const bytesMax = 200_000
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/

const fileSchema = z.strictObject({
  tokens: z
    .array(
      z.strictObject({
        name: z.string().regex(namePattern),
        scope: z.enum(['read', 'write']),
        digest: z.string().regex(/^[0-9a-f]{64}$/),
        addedAtMs: z.number(),
      }),
    )
    .max(tokensMax),
})

export const namedTokensPath = (state: string): string => getDaemonFiles(state).namedTokens

export const digestToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Empty if there is no file. Throws `no-token` if the file cannot be used. */
export function readNamedTokens(state: string): readonly NamedToken[] {
  const path = namedTokensPath(state)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return []
  try {
    return fileSchema.parse(JSON.parse(readPrivateFile(path, bytesMax))).tokens
  } catch (error) {
    if (error instanceof LoopError) throw error
    throw new LoopError(
      'no-token',
      `The token file ${path} cannot be read. Remove it, and add the tokens again: loopctl daemon token add <name>`,
    )
  }
}

/** Resolves with the token, which is shown only now. */
export async function addNamedToken(state: string, name: string, scope: Scope): Promise<string> {
  requireName(name)
  const token = randomBytes(32).toString('base64url')
  await change(state, (tokens) => {
    if (tokens.some((one) => one.name === name)) {
      throw new LoopError(
        'bad-request',
        `There is already a token for "${name}". Remove it first: loopctl daemon token remove ${name}`,
      )
    }
    if (tokens.length >= tokensMax) {
      throw new LoopError('bad-request', `There are ${tokensMax} tokens. Remove one first.`)
    }
    const digest = digestToken(token).toString('hex')
    return [...tokens, { name, scope, digest, addedAtMs: Date.now() }]
  })
  return token
}

/** A running daemon refuses it from then on. */
export async function removeNamedToken(state: string, name: string): Promise<void> {
  await change(state, (tokens) => {
    const left = tokens.filter((one) => one.name !== name)
    if (left.length < tokens.length) return left
    throw new LoopError(
      'bad-request',
      `There is no token for "${name}". See: loopctl daemon token list`,
    )
  })
}

/** `default` is who answers at a deadline; the user of the daemon has its own token. */
function requireName(name: string): void {
  if (namePattern.test(name) && name !== 'default' && name !== localUser()) return
  throw new LoopError(
    'bad-request',
    `A token cannot be named ${JSON.stringify(name)}. Use letters, digits and . _ @ -, and neither "default" nor your own user name.`,
  )
}

async function change(
  state: string,
  work: (tokens: readonly NamedToken[]) => readonly NamedToken[],
): Promise<void> {
  const path = namedTokensPath(state)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await withLock(`${path}.lock`, async () => {
    const tokens = work(readNamedTokens(state))
    const written = `${path}.${randomBytes(6).toString('hex')}`
    try {
      const text = `${JSON.stringify({ tokens })}\n`
      writeFileSync(written, text, { mode: 0o600, flag: 'wx', flush: true })
      renameSync(written, path)
    } catch (cause) {
      throw toStateFolderError(path, cause)
    } finally {
      rmSync(written, { force: true })
    }
  })
}
