// Ends well where this Node can build the client (what Vite asks for).
const [major, minor] = process.versions.node.split(".").map(Number);
process.exit((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22 ? 0 : 1);
