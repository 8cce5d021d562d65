import { createHash } from 'node:crypto'

export const digestOf = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')
