/** Asks GitHub with `gh` of the operator, about the repository of a remote. Only lists and logs are asked for. */

import type { z } from 'zod'
import type { Signal } from '../../../loop/index.ts'
import { findRemote, type History, listProjectFolders } from '../../../workspace/index.ts'
import { findGh, ownerAndName } from '../../authority/gh.ts'

export interface AskGithub {
  /** The text that it printed. */
  text(remote: string, args: readonly string[], signal: Signal): Promise<string>
  /** Parsed. Rejects if it is not what the schema says. */
  json<T>(remote: string, args: readonly string[], schema: z.ZodType<T>, signal: Signal): Promise<T>
}

export function createAskGithub(history: () => Promise<History>): AskGithub {
  const text: AskGithub['text'] = async (remote, args, signal) => {
    const { repository } = await history()
    const gh = await findGh(listProjectFolders(repository))
    const { url } = await findRemote(repository, remote)
    return gh([...args, `--repo=${ownerAndName(url)}`], { signal })
  }
  return {
    text,
    async json(remote, args, schema, signal) {
      const printed = await text(remote, args, signal)
      const name = `gh ${args.slice(0, 2).join(' ')}`
      const parsed = schema.safeParse(parseJson(printed, name))
      if (parsed.success) return parsed.data
      const [issue] = parsed.error.issues
      throw new Error(
        `${name} printed something unknown: ${issue?.path.join('.')} ${issue?.message}`,
      )
    },
  }
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${name} did not print JSON.`, { cause: error })
  }
}
