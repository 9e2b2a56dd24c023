const { parentPort } = process

const fibonacci = (n) => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2))

parentPort.on('message', ({ data, ports }) => {
  if (data.exit !== undefined) process.exit(data.exit)
  console.log(`asked for ${data.n}`)
  parentPort.postMessage({
    fibonacci: fibonacci(data.n),
    type: process.type,
    canSend: 'send' in process,
    ports: ports.length,
    arguments: process.argv.slice(2),
    bytes: data.bytes,
  })
})
