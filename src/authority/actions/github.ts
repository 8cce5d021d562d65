/**
 * Opens pull requests and comments with `gh`. Both carry the key as a marker that is not displayed, and are found by it.
 * `gh` gets everything as arguments and input, so it reads no repository.
 */

import { z } from 'zod'
import type { ActionLookup, Actions } from '../../engine/index.ts'
import type { Signal } from '../../loop/index.ts'
import {
  definite,
  done,
  found,
  indefinite,
  marker,
  notDone,
  readDetails,
  unknown,
} from './executor.ts'
import { type ActionRepository, requireCertifiedTree } from './repository.ts'

/** Runs `gh` with the login of the operator. Rejects if it fails, is missing or takes too long. */
export type RunGh = (
  args: readonly string[],
  options: { readonly input?: string; readonly signal: Signal },
) => Promise<string>

export interface GithubPorts {
  readonly repository: ActionRepository
  /** Rejects if it is not installed. */
  readonly gh: () => Promise<RunGh>
}

const titleCharsMax = 250
const bodyCharsMax = 60_000
const listedMax = 100

const pullRequestSchema = z.object({
  base: z.string().exactOptional(),
  remote: z.string().prefault('origin'),
  title: z.string().exactOptional(),
  body: z.string().exactOptional(),
  draft: z.boolean().prefault(false),
})

export function openPrExecutor({ repository, gh }: GithubPorts): Actions {
  return {
    async perform(action, key, context) {
      const settings = readDetails(pullRequestSchema, action)
      const { remote, title = repository.title, draft } = settings
      const base = settings.base ?? repository.baseBranch
      const tree = requireCertifiedTree(context)
      const slug = await definite(() => repository.slugOf(remote))
      const run = await definite(gh)
      // Pushing the same commit again changes nothing, so a failure of it is definite.
      const pushed = await definite(() => repository.push({ remote, tree, fence: context.fence }))
      const body = `${(settings.body ?? action.summary).slice(0, bodyCharsMax)}\n\n${marker(key)}\n`
      const args = [
        'pr',
        'create',
        `--repo=${slug}`,
        `--head=${pushed.branch}`,
        `--base=${base}`,
        `--title=${title.slice(0, titleCharsMax)}`,
        '--body-file=-',
        ...(draft ? ['--draft'] : []),
      ]
      const { signal } = context
      const printed = await indefinite(() => run(args, { input: body, signal }))
      const url = /https?:\/\/\S+/.exec(printed)?.[0]
      if (url === undefined) throw new Error('gh did not print the URL of a pull request.')
      return done(`opened ${url}`, { url, base, ...pushed })
    },
    async find(action, key, { signal }) {
      const { remote } = readDetails(pullRequestSchema, action)
      const run = await gh()
      const slug = await repository.slugOf(remote)
      const printed = await run(
        [
          'pr',
          'list',
          `--repo=${slug}`,
          `--head=${repository.branch}`,
          '--state=all',
          `--limit=${listedMax}`,
          '--json=url,body',
        ],
        { signal },
      )
      return findMarked(printed, key, 'opened')
    },
  }
}

const commentSchema = z.object({
  on: z.int().positive(),
  remote: z.string().prefault('origin'),
  text: z.string().exactOptional(),
})

export function commentExecutor({ repository, gh }: GithubPorts): Actions {
  return {
    async perform(action, key, { signal }) {
      const { on, remote, text = action.summary } = readDetails(commentSchema, action)
      const run = await definite(gh)
      const slug = await definite(() => repository.slugOf(remote))
      const input = `${text.slice(0, bodyCharsMax)}\n\n${marker(key)}\n`
      const args = ['issue', 'comment', `${on}`, `--repo=${slug}`, '--body-file=-']
      const printed = await indefinite(() => run(args, { input, signal }))
      const url = /https?:\/\/\S+/.exec(printed)?.[0]
      return done(`commented on ${on}`, url === undefined ? { on } : { on, url })
    },
    async find(action, key, { signal }) {
      const { on, remote } = readDetails(commentSchema, action)
      const run = await gh()
      const slug = await repository.slugOf(remote)
      const args = ['issue', 'view', `${on}`, `--repo=${slug}`, '--json=comments']
      const printed = await run(args, { signal })
      const { success, data } = z
        .object({ comments: z.array(z.object({ body: z.string(), url: z.string() })) })
        .safeParse(parseJson(printed))
      if (!success) return unknown
      return findMarked(JSON.stringify(data.comments), key, 'commented')
    },
  }
}

const listSchema = z.array(z.object({ url: z.string(), body: z.string() }))

function findMarked(printed: string, key: string, verb: string): ActionLookup {
  const { success, data } = listSchema.safeParse(parseJson(printed))
  if (!success) return unknown
  const marked = data.find(({ body }) => body.includes(marker(key)))
  if (marked !== undefined) return found(`${verb} ${marked.url}`, { url: marked.url })
  // Further entries were not listed.
  return data.length >= listedMax ? unknown : notDone
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
