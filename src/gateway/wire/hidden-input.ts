/**
 * Detects whether a request contains all of its own input. Providers can add more: results of their
 * tools, stored files and prompts, earlier responses. What those cost cannot be seen here.
 *
 * E4. Only what is known to be complete counts as complete: unlisted fields, parts and tools
 *     count as hidden input. Overestimating is safer than underestimating.
 */

import type { WireFormat } from './route.ts'

type Fields = Readonly<Record<string, unknown>>

export function mayAddInput(format: WireFormat, body: Fields): boolean {
  return !isSelfContainedBody[format](body)
}

const toSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** True if there are no other fields. Numbers, null and false add no input. */
function hasOnly(fields: Fields, known: ReadonlySet<string>): boolean {
  return Object.entries(fields).every(
    ([name, value]) =>
      known.has(name) || value === null || value === false || typeof value === 'number',
  )
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** True if the value is absent, or a list whose items are all self-contained. */
function everyItem(value: unknown, isSelfContained: (one: Fields) => boolean): boolean {
  if (isAbsent(value)) return true
  return (
    Array.isArray(value) && value.every((one: unknown) => isFields(one) && isSelfContained(one))
  )
}

/** True for a string, or a list of self-contained parts. */
const isTextOr = (value: unknown, isSelfContained: (part: Fields) => boolean): boolean =>
  typeof value === 'string' || everyItem(value, isSelfContained)

const isSelfContainedBody: Readonly<Record<WireFormat, (body: Fields) => boolean>> = {
  anthropic: (body) =>
    hasOnly(body, anthropicFields) &&
    onlyClearsContext(body['context_management']) &&
    isTextOr(body['system'], anthropicPart) &&
    everyItem(body['messages'], (message) => isTextOr(message['content'], anthropicPart)) &&
    everyItem(
      body['tools'],
      (tool) => hasType(tool, [undefined, 'custom']) && isFields(tool['input_schema']),
    ),
  chat: (body) =>
    hasOnly(body, chatFields) &&
    everyItem(
      body['messages'],
      (one) => hasOnly(one, chatMessage) && isTextOr(one['content'], openaiPart),
    ) &&
    everyItem(body['tools'], isOpenaiTool),
  responses: (body) =>
    hasOnly(body, responsesFields) &&
    isTextOr(body['instructions'], responsesItem) &&
    isTextOr(body['input'], responsesItem) &&
    everyItem(body['tools'], isOpenaiTool),
  gemini: (body) =>
    hasOnly(body, geminiFields) &&
    everyItem(body['contents'], geminiContent) &&
    ['systemInstruction', 'system_instruction'].every((name) => {
      const value = body[name]
      return isAbsent(value) || (isFields(value) && geminiContent(value))
    }) &&
    everyItem(body['tools'], (tool) => hasOnly(tool, geminiTool)),
}

const hasType = (value: Fields, types: readonly (string | undefined)[]): boolean =>
  types.includes(value['type'] as string | undefined)

const anthropicFields = toSet(
  `model messages system tools max_tokens metadata stop_sequences stream temperature top_k top_p
  thinking tool_choice service_tier speed output_config output_format inference_geo cache_control betas
  context_management`.trim(),
)

/** Edits that write a summary first use more tokens than they report. */
const onlyClearsContext = (value: unknown): boolean =>
  isAbsent(value) ||
  (isFields(value) &&
    everyItem(
      value['edits'],
      (edit) => typeof edit['type'] === 'string' && edit['type'].startsWith('clear_'),
    ))

/** PDF documents are not self-contained: the cost of a page is unrelated to its bytes. */
function anthropicPart(part: Fields): boolean {
  switch (part['type']) {
    case 'text':
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
    case 'tool_reference':
      return true
    case 'tool_result':
      return isTextOr(part['content'], anthropicPart)
    case 'image':
      return isFields(part['source']) && part['source']['type'] === 'base64'
    case 'document':
      return isFields(part['source']) && part['source']['type'] === 'text'
    default:
      return false
  }
}

const chatFields = toSet(
  `model messages tools functions tool_choice function_call parallel_tool_calls max_tokens
  max_completion_tokens n stop stream stream_options temperature top_p top_k min_p seed logit_bias
  logprobs top_logprobs frequency_penalty presence_penalty repetition_penalty repeat_penalty metadata
  modalities prediction prompt_cache_key prompt_cache_retention reasoning reasoning_effort
  response_format safety_identifier service_tier store user verbosity thinking think enable_thinking
  chat_template_kwargs options keep_alive`.trim(),
)

/** `audio` refers to an earlier response. */
const chatMessage = toSet(
  `role content name tool_calls tool_call_id function_call refusal reasoning reasoning_content
  reasoning_details annotations cache_control`.trim(),
)

const responsesFields = toSet(
  `model input instructions tools tool_choice max_output_tokens metadata parallel_tool_calls
  prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store stream
  stream_options temperature text top_p truncation user include client_metadata`.trim(),
)

function isOpenaiTool(tool: Fields): boolean {
  const type = tool['type']
  // Searches tools that the client holds back; the result is in the next request.
  if (type === 'tool_search') return tool['execution'] === 'client'
  if (type !== 'function' && type !== 'custom') return false
  const inner = tool[type]
  return typeof tool['name'] === 'string' || (isFields(inner) && typeof inner['name'] === 'string')
}

function openaiPart(part: Fields): boolean {
  switch (part['type']) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'reasoning_text':
    case 'refusal':
      return true
    case 'image_url':
      return isFields(part['image_url'])
        ? isInlineImage(part['image_url']['url'])
        : isInlineImage(part['image_url'])
    case 'input_image':
      return isInlineImage(part['image_url']) && isAbsent(part['file_id'])
    default:
      return false
  }
}

const isInlineImage = (url: unknown): boolean =>
  typeof url === 'string' && url.startsWith('data:image/')

function responsesItem(item: Fields): boolean {
  switch (item['type']) {
    case undefined:
    case 'message':
      return typeof item['role'] === 'string' && isTextOr(item['content'], openaiPart)
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'local_shell_call_output':
      return true
    case 'tool_search_call':
    case 'tool_search_output':
      return item['execution'] === 'client' && everyItem(item['tools'], isOpenaiTool)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return isTextOr(item['output'], openaiPart)
    case 'reasoning':
      // With only an id, the provider uses the content that it stored.
      return isAbsent(item['id']) || typeof item['encrypted_content'] === 'string'
    default:
      return false
  }
}

const geminiFields = toSet(
  `model contents systemInstruction system_instruction tools toolConfig tool_config safetySettings
  safety_settings generationConfig generation_config labels`.trim(),
)
const geminiTool = toSet('functionDeclarations function_declarations')
const geminiPart = toSet(
  `text thought thoughtSignature thought_signature functionCall function_call functionResponse
  function_response inlineData inline_data`.trim(),
)
const geminiResult = toSet('id name response')

const geminiContent = (content: Fields): boolean =>
  everyItem(content['parts'], (part) => {
    const image = part['inlineData'] ?? part['inline_data']
    const result = part['functionResponse'] ?? part['function_response']
    return (
      hasOnly(part, geminiPart) &&
      (isAbsent(image) || isImage(image)) &&
      (isAbsent(result) || (isFields(result) && hasOnly(result, geminiResult)))
    )
  })

/** Audio and video are excluded: few bytes can be a long recording. */
function isImage(value: unknown): boolean {
  if (!isFields(value)) return false
  const type = value['mimeType'] ?? value['mime_type']
  return typeof type === 'string' && type.startsWith('image/')
}
