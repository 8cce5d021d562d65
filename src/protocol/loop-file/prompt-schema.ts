/** The schema of `prompt` in a loop file. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import type { PromptSection } from './loop-file.ts'
import { integer, key, keys, list, matching, text } from './value-schemas.ts'

const sectionDefaults = { priority: 100, stable: false, keep: 'start', required: false } as const

const fileName = () =>
  key(text(1000), 'A template file, in the folder of the loop file or below it.', 'prompt.md')

const sectionSettings = () => ({
  name: key(
    matching(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'a section name, such as task'),
    'A unique name for the section.',
    'task',
  ),
  priority: key(
    integer(0, 1000).prefault(sectionDefaults.priority),
    'Sections with a lower priority are cut first if the prompt is too long.',
  ),
  stable: key(
    z.boolean().prefault(sectionDefaults.stable),
    'True: it is the same in every iteration. Such sections come first, so that prompt caching works.',
  ),
  keep: key(
    z.enum(['start', 'end']).prefault(sectionDefaults.keep),
    'Which end to keep when the section is cut.',
  ),
  required: key(
    z.boolean().prefault(sectionDefaults.required),
    'True: never cut. It is an error if the required sections do not fit into the prompt.',
  ),
})

const section = z.union([
  keys({
    ...sectionSettings(),
    text: key(text(), 'The Liquid template of the section.', '{{ input.goal }}'),
  }),
  keys({ ...sectionSettings(), file: fileName() }),
])

/** Text, a file or sections; always converted to a list of sections. */
export const promptSchema: z.ZodType<readonly PromptSection[]> = exactly<
  readonly PromptSection[]
>()(
  z
    .union([text(), keys({ file: fileName() }), list(section, 'sections', { min: 1, max: 50 })])
    .transform((prompt): readonly PromptSection[] => {
      if (typeof prompt === 'string') return [{ name: 'prompt', text: prompt, ...sectionDefaults }]
      return 'file' in prompt ? [{ name: 'prompt', ...prompt, ...sectionDefaults }] : prompt
    }),
)
