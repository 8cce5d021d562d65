/** The schema of `deliver` in a loop file: where the reports of its rounds go. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { oneKey } from './one-key.ts'
import {
  duration,
  environmentName,
  expects,
  innerPath,
  key,
  keys,
  list,
  matching,
  webAddress,
} from './value-schemas.ts'

/** One receiver of reports, as the program uses it. */
export type DeliverySink =
  | { readonly type: 'stdout' }
  /** A file of its own for each report, in a folder of the state folder. */
  | { readonly type: 'file'; readonly folder: string }
  | {
      readonly type: 'webhook'
      readonly url: string
      /** The variable with the secret that signs it, as Standard Webhooks has it. Absent: not signed. */
      readonly secretEnv?: string
      readonly timeoutMs: number
    }
  /** The variable with the address of an incoming webhook, which is a secret. */
  | { readonly type: 'slack'; readonly urlEnv: string }
  /** By the mail command of the operator. */
  | { readonly type: 'email'; readonly to: string }

const forms = {
  file: innerPath('the path of a folder in the folder "reports" of the state folder'),
  webhook: keys({
    url: key(
      webAddress(),
      'The address: https, or http on this machine. LOOPWRIGHT_WEBHOOKS must allow it.',
      'https://hooks.example.com/reports',
    ),
    secretEnv: key(
      environmentName().exactOptional(),
      'The environment variable with the secret (whsec_…) that signs it as Standard Webhooks.',
      'REPORTS_SECRET',
    ),
    timeout: key(duration().prefault('30s'), 'How long to wait for the answer.', '10s'),
  }),
  slack: keys({
    urlEnv: key(
      environmentName(),
      'The environment variable with the address of the incoming webhook.',
      'SLACK_WEBHOOK_URL',
    ),
  }),
  email: matching(
    /^[^\s@<>,;:"()[\]\\-][^\s@<>,;:"()[\]\\]{0,63}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})$/,
    'an e-mail address',
  ),
}

const sinkTable = keys(
  {
    file: key(forms.file.exactOptional(), 'A file for each report.', 'triage'),
    webhook: key(forms.webhook.exactOptional(), 'A signed POST request.'),
    slack: key(forms.slack.exactOptional(), 'A message in Slack.'),
    email: key(
      forms.email.exactOptional(),
      'An e-mail, by the command in LOOPWRIGHT_MAIL_COMMAND. LOOPWRIGHT_MAIL_TO must allow the address.',
      'team@example.com',
    ),
  },
  'receiver',
).refine((written) => Object.keys(written).length === 1, oneKey('receiver', 'stdout'))

type Written = z.output<typeof sinkTable>

const sinkSchema: z.ZodType<DeliverySink> = exactly<DeliverySink>()(
  z.union([
    z
      .enum(['stdout', 'file'], {
        error: expects('stdout, file, or a table with file, webhook, slack or email'),
      })
      .transform((type): DeliverySink => (type === 'file' ? { type, folder: '.' } : { type })),
    sinkTable.transform(toSink),
  ]),
)

/** The schema of a key that lists receivers. */
export const deliverSchema = (): z.ZodType<readonly DeliverySink[]> =>
  list(sinkSchema, 'a list of receivers', { max: 10 })

function toSink({ file, webhook, slack, email }: Written): DeliverySink {
  if (webhook !== undefined) {
    const { timeout, ...rest } = webhook
    return { type: 'webhook', ...rest, timeoutMs: timeout }
  }
  if (slack !== undefined) return { type: 'slack', ...slack }
  if (email !== undefined) return { type: 'email', to: email }
  return { type: 'file', folder: file ?? '.' }
}
