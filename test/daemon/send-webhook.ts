/** Sends a signed request to the webhook of a schedule. */

import { Webhook } from 'standardwebhooks'
import type { StartedDaemon } from './start-daemon.ts'

const signed = '{"event":"push"}'

export interface SentWebhook {
  readonly name: string
  /** Another body than the signed one. */
  readonly body?: string
  readonly at?: Date
  readonly id?: string
}

export const sendWebhook = (
  { address }: StartedDaemon,
  secret: string,
  { name, body = signed, at = new Date(), id = 'msg-1' }: SentWebhook,
): Promise<Response> =>
  fetch(`${address}/hooks/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, signed),
    },
    body,
  })
