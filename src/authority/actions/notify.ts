/** Notifies a person: on the desktop, in the terminal, by a webhook or by a command in the sandbox. */

import { z } from 'zod'
import type { ActionContext, Actions, Commands } from '../../engine/index.ts'
import { done, failed, readDetails, unknown } from './executor.ts'
import { postWebhook, type WebhookPorts } from './webhook.ts'

const detailsSchema = z.object({
  by: z.union([
    z.object({ type: z.enum(['desktop', 'terminal']) }),
    z.object({ type: z.literal('webhook'), url: z.string() }),
    z.object({ type: z.literal('command'), command: z.array(z.string()).min(1).readonly() }),
  ]),
  text: z.string().exactOptional(),
})

type Channel = z.output<typeof detailsSchema>['by']

export interface NotifyPorts {
  readonly webhooks: WebhookPorts
  /** Of the sandbox. */
  readonly commands: Commands
  readonly terminal: (line: string) => void
  /** Shows a notification. Rejects if there is no desktop. */
  readonly desktop: (title: string, text: string) => Promise<void>
}

const timeoutMs = 30_000
const textCharsMax = 4000

/** A notification is not repeated: whether a person saw it is unknown. */
export function notifyExecutor(ports: NotifyPorts): Actions {
  return {
    async perform(action, key, context) {
      const { by, text = action.summary } = readDetails(detailsSchema, action)
      const shown = toLine(text)
      await send(ports, by, shown, key, context)
      return done(`notified (${by.type})`, { by: by.type, text: shown })
    },
    find: async () => unknown,
  }
}

async function send(
  { webhooks, commands, terminal, desktop }: NotifyPorts,
  by: Channel,
  text: string,
  key: string,
  { signal }: ActionContext,
): Promise<void> {
  switch (by.type) {
    case 'terminal':
      return terminal(text)
    case 'desktop':
      return desktop('Loopwright', text).catch((error: unknown) => {
        throw failed('Could not show a notification on the desktop.', error)
      })
    case 'webhook':
      await postWebhook(webhooks, { url: by.url, key, body: { text, key }, timeoutMs, signal })
      return
    case 'command': {
      const [program = '', ...args] = by.command
      const env = { LOOPWRIGHT_ACTION_KEY: key }
      const command = { program, args, env, input: text, timeoutMs }
      const { ended, exitCode } = await commands.run(command, signal)
      if (ended !== 'exited') throw new Error(`The command was ended (${ended}).`)
      if (exitCode !== 0) throw failed(`The command exited with ${exitCode}.`)
    }
  }
}

/** Nothing that a terminal interprets. */
const toLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, textCharsMax)
