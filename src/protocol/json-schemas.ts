/** The published schemas as JSON Schema documents, for programs in other languages. */

import { z } from 'zod'
import { eventVersion } from '../loop/index.ts'
import { apiSchemas } from './api/api-schemas.ts'
import { certificateVersion } from './certificate/certificate.ts'
import { signedCertificateSchema } from './certificate/certificate-schema.ts'
import { trustedKeysSchema, trustedKeysVersion } from './certificate/trusted-keys.ts'
import { checkpointFileSchema, checkpointFormatVersion } from './checkpoint/checkpoint-file.ts'
import { loopResultSchema } from './checkpoint/entity-schemas.ts'
import { commandErrorSchema, commandFileName, commandOutputs } from './cli/index.ts'
import { configJsonSchema } from './config/config-schema.ts'
import { recordedEventSchema } from './events/event-schema.ts'
import { loopFileJsonSchema } from './loop-file/loop-file-schema.ts'
import type { LoopFileType } from './loop-file/loop-file-type.ts'
import { manifestJsonSchema } from './manifest/manifest-schema.ts'
import { published } from './values.ts'

/** By file name in `schemas/`, which `node scripts/schemas.mjs` writes. */
export function jsonSchemas(types: readonly LoopFileType[]): {
  readonly [fileName: string]: object
} {
  return {
    'api.schema.json': apiDocument(),
    'certificate.schema.json': document(signedCertificateSchema, {
      $id: `urn:loopwright:schema:certificate:${certificateVersion}`,
      description:
        'A signed certificate. The file is its canonical JSON (RFC 8785) and a newline; see docs/certificates.md.',
    }),
    'checkpoint.schema.json': document(checkpointFileSchema, {
      $id: `urn:loopwright:schema:checkpoint:${checkpointFormatVersion}`,
      description:
        'One checkpoint of a run as a file. sha256 is over the canonical JSON (RFC 8785) of the rest.',
    }),
    ...commandDocuments(),
    'config.schema.json': configJsonSchema(),
    'events.schema.json': document(recordedEventSchema, {
      $id: `urn:loopwright:schema:events:${eventVersion}`,
      description: 'One event of a run, as the journal and the event stream give it.',
    }),
    'loop.schema.json': loopFileDocument(types),
    'loop-result.schema.json': document(loopResultSchema, {
      $id: `urn:loopwright:schema:loop-result:${checkpointFormatVersion}`,
      description: 'The result of a finished run, in the legacy format.',
    }),
    'manifest.schema.json': manifestJsonSchema(),
    'trusted-keys.schema.json': document(trustedKeysSchema, {
      $id: `urn:loopwright:schema:trusted-keys:${trustedKeysVersion}`,
      description: 'Trusted keys; see docs/certificates.md.',
    }),
  }
}

/** Every value of the daemon's API by name, as `$defs`. Which route uses which is in the OpenAPI document. */
function apiDocument(): object {
  const { $schema, $defs } = z.toJSONSchema(z.union(apiSchemas), {
    target: 'draft-2020-12',
    io: 'input',
    metadata: published,
  })
  const description = 'The values that the daemon and its clients exchange; see docs/api.md.'
  return { $schema, $id: 'urn:loopwright:schema:api:1', description, $defs }
}

/** The output of `loopctl --json`, per command. */
function commandDocuments(): { readonly [fileName: string]: object } {
  const commands = Object.entries(commandOutputs).map(([name, { schema, prints, description }]) => {
    const what = prints === 'lines' ? 'one line' : 'the value'
    const head = {
      $id: `urn:loopwright:schema:cli-${name.replaceAll(' ', '-') || 'loopctl'}:1`,
      description: `${description} This is ${what} of: ${`loopctl --json ${name}`.trimEnd()}`,
    }
    return [commandFileName(name), document(schema, head)] as const
  })
  const error = document(commandErrorSchema, {
    $id: 'urn:loopwright:schema:cli-error:1',
    description: 'What every command prints to standard error with --json when it fails.',
  })
  return { ...Object.fromEntries(commands), [commandFileName('error')]: error }
}

/** The input form: fields with a default may be absent. */
function document(schema: z.ZodType, head: { $id: string; description: string }): object {
  const { $schema, ...shape } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    metadata: published,
  })
  return { $schema, ...head, ...shape }
}

/** Referenced on the first line of a loop file: `# yaml-language-server: $schema=…`. */
const loopFileDocument = (types: readonly LoopFileType[]): object =>
  loopFileJsonSchema(types, {
    $id: 'urn:loopwright:schema:loop:1',
    title: 'Loopwright loop file',
  })
