// node server.mjs FOLDER [PORT]: serves the page of a compiled project (compile.mjs) on 127.0.0.1, with live updates.
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import '../globals.mjs'
import { pageHtml } from './html.mjs'
import { Page, click, input, openPage, told } from './page.mjs'
import { resize } from './canvas.mjs'
import { configuration } from './resources.mjs'
import { onFlush, touch } from './state.mjs'

const BROWSER = path.join(path.dirname(fileURLToPath(import.meta.url)), 'browser')
const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.mjs': 'text/javascript' }
const MOST_BYTES = 64 * 1024

/** Gives `{ url, page(), close() }`. Port 0: any free one. */
export async function serve(folder, port = 0) {
  let page = await openPage(folder)
  const Entry = page.view.constructor
  const watching = new Set()
  let last = ''
  let planned = false

  const state = () => JSON.stringify({ html: pageHtml(page), messages: told.map(plain), ...configuration.get() })
  const tellAll = () => {
    planned = false
    const now = state()
    if (now === last) return
    last = now
    for (const response of watching) response.write(`data: ${now}\n\n`)
  }
  onFlush(() => {
    if (planned) return
    planned = true
    setImmediate(tellAll)
  })

  const acts = {
    click: (node) => click(node),
    input: (node, value) => input(node, value),
    submit: (node) => node.attribute('onSubmit')?.(node.attribute('enterKeyType') ?? EnterKeyType.Done),
    back: (node) => node.back(),
    resize: (node, { width, height }) => resize(node, Number(width), Number(height)),
  }
  const posts = {
    act: ({ node, action, value }) => {
      const found = page.byId(node)
      if (found) acts[action]?.(found, value) // else it has gone meanwhile
    },
    answer: ({ id, index }) => told.find((entry) => entry.id === id)?.choose?.(index),
    configure: ({ language, dark }) => configuration.set({ ...(language && { language }), ...(dark !== undefined && { dark }) }),
    restart: () => {
      page.close()
      page = new Page(Entry)
    },
  }

  let spoken = false // the first browser's language; from then on it is the user's to choose
  const speak = (languages) => {
    if (spoken || !languages) return
    spoken = true
    configuration.set({ language: languages.startsWith('zh') ? 'zh_CN' : 'en_US' })
    touch()
  }

  const server = http.createServer(async (request, response) => {
    const name = request.url.slice(1) || 'index.html'
    const ownHost = `127.0.0.1:${server.address().port}`
    // no other site may press the buttons
    if (![ownHost, ownHost.replace('127.0.0.1', 'localhost')].includes(request.headers.host)) return end(response, 403)
    if (request.method === 'POST') return post(request, response, posts[name])
    if (name === 'changes') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.write(`data: ${state()}\n\n`)
      watching.add(response)
      return response.on('close', () => watching.delete(response))
    }
    if (!fs.readdirSync(BROWSER).includes(name)) return end(response, 404)
    if (name === 'index.html') speak(request.headers['accept-language'])
    response.writeHead(200, { 'content-type': TYPES[path.extname(name)] })
    response.end(fs.readFileSync(path.join(BROWSER, name)))
  })
  const post = async (request, response, action) => {
    if (!action || request.headers['content-type'] !== 'application/json') return end(response, 404)
    let body = ''
    for await (const chunk of request) {
      body += chunk
      if (body.length > MOST_BYTES) return end(response, 413)
    }
    try {
      action(JSON.parse(body))
      touch()
      end(response, 204)
    } catch (error) {
      console.error(error)
      end(response, 500)
    }
  }

  await new Promise((ready, failed) => server.once('error', failed).listen(port, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    page: () => page,
    close: () => {
      page.close()
      watching.forEach((each) => each.end())
      server.close()
      server.closeAllConnections()
    },
  }
}

const end = (response, status) => response.writeHead(status).end()
let lastId = 0
const plain = (entry) => {
  entry.id ??= ++lastId
  const { choose, ...rest } = entry
  return rest
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('unhandledRejection', console.error) // on a phone it is logged, too
  const port = Number(process.argv[3] ?? 8080)
  const { url } = await serve(process.argv[2], port).catch((error) => {
    const why = error.code === 'EADDRINUSE' ? 'something else listens there; take another one with --port N' : error.message
    console.error(`error: port ${port}: ${why}`)
    process.exit(1)
  })
  console.log(`${url}  (behaviour is real, layout approximate; Ctrl-C ends it)`)
}
